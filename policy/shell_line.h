// Takes the text for a POSIX shell apart into the commands that it runs.
//
// Only lines that bash, zsh and dash understand in the same way are understood
// here: words, quotes, &&, ||, ;, | and ends of lines. docs/policy.md has the
// whole list. The rule behind it: a line that is understood runs the commands
// that are listed here, some of them or all, and nothing else.
#ifndef TROIKA_POLICY_SHELL_LINE_H_
#define TROIKA_POLICY_SHELL_LINE_H_

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "policy/prefix_index.h"

namespace troika::policy {

class ShellLine {
 public:
  // `text` is borrowed.
  explicit ShellLine(absl::string_view text);
  ShellLine(const ShellLine&) = delete;  // Words may refer to joined_.
  ShellLine& operator=(const ShellLine&) = delete;

  // Why the line is not understood, as the end of "a person is asked because
  // …"; empty if it is.
  const std::string& problem() const { return problem_; }

  // The commands in their order; if there is a problem, those before it. Each
  // has at least one word, and the first one is literal.
  size_t size() const { return begins_.size(); }
  absl::Span<const CommandWord> command(size_t i) const {
    const size_t end = i + 1 < begins_.size() ? begins_[i + 1] : complete_;
    return absl::MakeConstSpan(words_).subspan(begins_[i], end - begins_[i]);
  }

 private:
  void Parse();
  bool Separator();
  bool ReadWord();
  bool QuotedSlice(CommandWord* word);
  bool SingleQuoted(std::string* joined);
  bool DoubleQuoted(std::string* joined);
  bool EndCommand();
  bool Fail(absl::string_view problem);

  const absl::string_view text_;
  size_t at_ = 0;
  size_t command_begin_ = 0;    // The first word of the command being read.
  bool needs_command_ = false;  // After &&, || and |.
  bool changed_folder_ = false;
  std::vector<CommandWord> words_;
  std::vector<size_t> begins_;      // The first word of each complete command.
  size_t complete_ = 0;             // How many words complete commands have.
  std::deque<std::string> joined_;  // Words that are not slices of text_.
  std::string problem_;
};

// Returns why the shell's own meaning of a command makes it unclear what runs,
// as ShellLine::problem does; empty if it does not.
std::string BuiltinProblem(absl::Span<const CommandWord> command);

// Returns the shell text of a command like `bash -lc TEXT`, or nullptr.
const CommandWord* /*nullable*/ ShellText(
    absl::Span<const CommandWord> command);

// True for a program that runs the command in its arguments, such as sudo.
bool IsLauncher(absl::string_view program);

// True for a shell, whatever its folder and version, also for those whose text
// ShellText does not return.
bool IsShell(absl::string_view program);

// True for a program whose arguments can be a program: shells and interpreters.
bool IsInterpreter(absl::string_view program);

}  // namespace troika::policy

#endif  // TROIKA_POLICY_SHELL_LINE_H_
