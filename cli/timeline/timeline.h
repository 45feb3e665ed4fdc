// Shows the messages of a task as text that people read.
//
//   ❯ fix the test
//
//   codex 0.166.0 started
//   ✻ I look at the test first.
//   ● Bash  npm test
//     ⎿ exit 1 · 1 of 12 failed
//
//   The test expects the old name.
//
//   ✔ done · 12s · 3.6k in, 400 cached, 90 out
//
// Text appears as it is streamed, and not again when it is complete. The output
// of a tool is folded to its last lines. No control character of an agent's
// output reaches the terminal.
#ifndef TROIKA_CLI_TIMELINE_TIMELINE_H_
#define TROIKA_CLI_TIMELINE_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "cli/timeline/approval_text.h"
#include "cli/timeline/tool_label.h"
#include "task/state.h"

namespace troika::cli {

// No I/O and no clock. Keeps only what is open, and the last text.
class Timeline {
 public:
  enum class Color { kNever, kAlways };
  struct Options {
    Color color = Color::kNever;
    size_t width = 0;  // Columns of the terminal, or 0 if there is none.
    // An approval or question is shown whole if it takes at most this many rows
    // (0: any number). Longer ones are left to the pager.
    size_t most_rows = 0;
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
  };
  // What was printed last of each kind.
  struct Last {
    std::string tool;   // Id of the tool, if its line was printed last of all.
    std::string asked;  // See last_asked().
    std::string text;   // The agent's last text.
    std::string error;
    std::string todo;
    std::string diff;
  };
  struct Context {
    const Message& message;
    const TaskState& state;
  };

  // timeline_payloads.cc, timeline_tools.cc and timeline_ends.cc
  void On(const Init&, const Context&) {}
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
            Style style);
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
  std::string activity_;  // "writing" or "thinking", for the status line.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TIMELINE_H_
