// Shows the messages of a task as text that people read.
//
//   ❯ fix the test
//
//   codex 0.166.0 · gpt-5 · /src/app · auto_edit
//   ✻ I look at the test first.
//   ● Bash  npm test
//     ⎿ exit 1 · 2.1s · 1 of 12 failed
//   ● Edit  app.js  +1 −1
//     │ - old();
//     │ + renamed();
//
//   The test expects the old name.
//
//   ✔ done · 12s · 3.6k in, 400 cached, 90 out
//     1 file changed, +1 −1: app.js
//
// On a terminal Markdown is rendered, each block when it is complete, and the
// output of a tool is folded to a part of the screen. Elsewhere nothing is cut,
// and the agent's text appears as it is streamed, as it came. No control
// character of an agent's output reaches the terminal.
#ifndef TROIKA_CLI_TIMELINE_TIMELINE_H_
#define TROIKA_CLI_TIMELINE_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/launch/launch.h"
#include "agent/message.h"
#include "cli/timeline/approval_text.h"
#include "cli/timeline/edit_text.h"
#include "cli/timeline/tool_label.h"
#include "task/state.h"

namespace troika::cli {

// No I/O and no clock. Keeps only what is open, and the last text.
class Timeline {
 public:
  enum class Color { kNever, kAlways };
  enum class Detail {
    kFolded,  // On terminals, long outputs are folded and long lines cut.
    kFull,
  };
  struct Options {
    Color color = Color::kNever;
    size_t width = 0;  // Columns of the terminal, or 0 if there is none.
    // An approval or question is shown whole if it takes at most this many rows
    // (0: any number). Longer ones are left to the pager.
    size_t most_rows = 0;
    size_t height = 0;  // Rows of the terminal, or 0 if that is not known.
    Detail detail = Detail::kFolded;
  };

  explicit Timeline(const Options& options) : options_(options) {}

  // Returns what to print for `message`, which may be empty or end within a
  // line. `state` is the state after the message.
  std::string Add(const Message& message, const TaskState& state);
  // Returns what to print at the end for a turn that no agent has taken yet,
  // because its prompt is not in a message until then; empty if there is none.
  std::string WaitingTurn(const TaskState& state);
  // Returns the end of the open line, if one is open.
  std::string EndLine();
  bool line_open() const { return line_open_; }

  void set_width(size_t columns) { options_.width = columns; }
  void set_height(size_t rows) { options_.height = rows; }
  // The user has just typed this prompt, and is not shown it again.
  void HidePrompt(std::string prompt) { hidden_prompt_ = std::move(prompt); }
  void set_most_rows(size_t rows) { options_.most_rows = rows; }

  // Returns the whole approval or question in rows of the terminal's width.
  std::vector<std::string> Rows(const Approval& approval) const;
  std::vector<std::string> Rows(const Question& question) const;
  // Returns what to print for `rows` as a block of their own.
  std::string AddRows(const std::vector<std::string>& rows);
  // Id of the approval or question that was printed last and whole; empty if
  // something else was printed since.
  const std::string& last_asked() const { return last_.asked; }

  // Returns the line that shows an agent at work, without a newline:
  //   ⠋ running · Bash npm test · 12s · 3.4k tokens
  // `frame` selects its first sign.
  std::string StatusLine(const TaskState& state, absl::Time now,
                         int frame) const;

 private:
  enum class Style { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };
  // Blocks are set off by empty lines.
  enum class Kind { kNothing, kBlock, kLine };
  struct Tool {
    ToolLabel label;
    std::string name;  // Normalized.
    size_t depth = 0;
    int64_t order = 0;
    EventId event;  // The event of its use.
    std::vector<FileEdit> edits;
    std::optional<absl::Time> began;
    absl::Duration waited;  // For answers.
    std::optional<absl::Time> waits_since;
  };
  // What a process was started with, until it is shown.
  struct Header {
    std::string name;  // "codex 0.166.0"
    std::string model;
    std::string permissions;
  };
  // What was printed last of each kind.
  struct Last {
    std::string tool;   // Id of the tool, if its line was printed last of all.
    std::string asked;  // See last_asked().
    std::string text;   // The agent's last text.
    std::string error;
    std::string header;
    std::string model;  // As the agent said it.
    std::vector<Todo::Item> todo;
  };
  struct Context {
    const Message& message;
    const TaskState& state;
  };

  // timeline_payloads.cc, timeline_tools.cc and timeline_ends.cc
  void On(const Init& init, const Context& context);
  void On(const Usage&, const Context&) {}
  void On(const ToolOutputDelta&, const Context&) {}
  void On(const UserInput& input, const Context& context);
  void On(const Text& text, const Context& context);
  void On(const Thinking& thinking, const Context& context);
  void On(const ToolUse& use, const Context& context);
  void On(const ToolResult& result, const Context& context);
  void On(const Todo& todo, const Context& context);
  void On(const Approval& approval, const Context& context);
  void On(const Question& question, const Context& context);
  void On(const RateLimit& limit, const Context& context);
  void On(const Subagent& subagent, const Context& context);
  void On(const Diff& diff, const Context& context);
  void On(const Notice& notice, const Context& context);
  void On(const Result& result, const Context& context);
  void Hint(const Result& result);
  void On(const Raw& raw, const Context& context);
  void On(const ParseError& error, const Context& context);
  void On(const TextDelta& delta, const Context& context);
  void On(const ThinkingDelta& delta, const Context& context);
  void On(const Lifecycle& event, const Context& context);
  void On(const Receipt& receipt, const Context& context);

  // Whether nothing is folded or cut.
  bool shows_all() const {
    return options_.width == 0 || options_.detail == Detail::kFull;
  }
  // Sanitizes a text to one line of any length that can be shown.
  std::string OneLine(absl::string_view text) const;
  void ReadHeader(absl::string_view text);
  void ShowHeader(const TaskState& state);
  // Renders `text`, which is a whole part of the agent's Markdown.
  void Markdown(absl::string_view text);
  // Shows the end of the Markdown that was streamed in `block`.
  void EndMarkdown(const std::string& block, absl::string_view whole);
  void ShowEdits(const Tool& tool, const Context& context);
  // Whether the turn is being ended, by somebody or because of a deadline. What
  // follows from that needs no words, because the end of the turn says why.
  static bool IsEnding(const TaskState& state) {
    return state.ending.kind != Ending::Kind::kNone;
  }
  // How long the tool worked, by the log if that has times.
  static std::optional<absl::Duration> TimeOf(const Tool& tool,
                                              const ToolResult& result,
                                              const Message& message);
  // Rows that folded output takes.
  int64_t FoldedRows() const;
  static Style StyleOf(ApprovalText::Kind kind);
  size_t DepthUnder(const std::string& tool_use_id) const;
  // Ends the open line, and adds an empty line if a block begins or ended.
  void Begin(Kind kind);
  // Prints one line of sanitized text, cut to the width.
  void Line(Style style, absl::string_view text);
  // Prints any text whole, wrapped to the width. The first line follows `sign`,
  // the others are indented below it.
  void Paragraph(Style style, absl::string_view sign, absl::string_view text);
  std::vector<std::string> ParagraphRows(Style style, absl::string_view sign,
                                         absl::string_view text) const;
  // Prints the rows, or how to see them if there are too many.
  void Ask(const std::string& id, const std::vector<std::string>& rows,
           const Context& context);
  // Prints the first lines of any text, each cut; the first follows `sign`.
  void Lines(Style style, absl::string_view sign, absl::string_view text,
             size_t max_lines);
  // Prints any text, and leaves its last line open.
  void Stream(absl::string_view text);
  void Fold(const std::vector<std::string>& heads, absl::string_view output,
            Style style, const Context& context);
  // Says how to see lines that were left out.
  void MoreLines(int64_t lines, const TaskState& state, const EventId& event);
  std::string Indent() const;
  std::string Painted(Style style, absl::string_view text) const;
  // Columns that a line has at this depth.
  size_t Columns() const;

  Options options_;
  std::string out_;   // Text for the message that is being added.
  size_t depth_ = 0;  // 0 for its agent, 1 for a subagent, and so on.
  Kind last_kind_ = Kind::kNothing;
  bool line_open_ = false;
  std::string open_block_;             // Block of the open line.
  std::set<std::string> streamed_;     // Blocks whose text was streamed.
  std::map<std::string, Tool> tools_;  // Running tools by id.
  int64_t tools_seen_ = 0;
  Last last_;
  std::optional<Header> header_;
  std::optional<EditMode> mode_;  // Of the last process that was started.
  std::string hidden_prompt_;
  std::map<std::string, std::string> unrendered_;  // Markdown by block.
  std::vector<FileEdit> changed_;  // Files that the turn has changed.
  bool has_diff_ = false;          // They are those of a Diff.
  std::string activity_;  // "writing" or "thinking", for the status line.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TIMELINE_H_
