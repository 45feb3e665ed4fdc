// A task as a person reads it: its messages as text, one after the other.
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
// Text comes as it is streamed, and not again when it is complete. What a tool
// gave is folded to its last lines. Whatever an agent prints, no control
// character of it reaches the terminal.
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

// Pure: no I/O and no clock. It keeps only what is open, and the last text.
class Timeline {
 public:
  enum class Color { kNever, kAlways };
  struct Look {
    Color color = Color::kNever;
    size_t width = 0;  // Columns of the terminal; 0: there is none.
    // What the agent asks is shown whole if it needs at most so many rows; 0:
    // always. Above it, whoever asks the user shows it page by page.
    size_t most_rows = 0;
  };

  explicit Timeline(const Look& look) : look_(look) {}

  // What to print for `message`; may be empty, or leave its last line open.
  // `state` has the message counted in.
  std::string Add(const Message& message, const TaskState& state);
  // What to print at the end for a turn that no agent has taken yet, as its
  // prompt is in no message until then; empty where there is none.
  std::string WaitingTurn(const TaskState& state);
  // Ends a line that was left open.
  std::string EndLine();
  bool line_open() const { return line_open_; }

  void set_width(size_t columns) { look_.width = columns; }
  void set_most_rows(size_t rows) { look_.most_rows = rows; }

  // What an agent asks, whole, as rows that fit into the terminal's width.
  std::vector<std::string> Rows(const Approval& approval) const;
  std::vector<std::string> Rows(const Question& question) const;
  // Prints rows as a block of their own.
  std::string AddRows(const std::vector<std::string>& rows);
  // The id of the approval or question whose rows were printed last and whole;
  // empty if something else was printed since.
  const std::string& last_asked() const { return last_asked_; }

  // The line that shows an agent at work, without its end:
  //   ⠋ running · Bash npm test · 12s · 3.4k tokens
  // Each `frame` turns its first sign.
  std::string StatusLine(const TaskState& state, absl::Time now,
                         int frame) const;

 private:
  enum class Style { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };
  // What stands in a block of its own is set off by empty lines.
  enum class Kind { kNothing, kBlock, kLine };
  struct Tool {
    ToolLabel label;
    std::string name;  // Normalized.
    size_t depth = 0;
    int64_t order = 0;
  };
  struct Context {
    const Message& message;
    const TaskState& state;
  };

  // timeline_payloads.cc, timeline_tools.cc and timeline_ends.cc
  void On(const Init& init, const Context& context);
  void On(const UserInput& input, const Context& context);
  void On(const Text& text, const Context& context);
  void On(const Thinking& thinking, const Context& context);
  void On(const ToolUse& use, const Context& context);
  void On(const ToolResult& result, const Context& context);
  void On(const Todo& todo, const Context& context);
  void On(const Approval& approval, const Context& context);
  void On(const Question& question, const Context& context);
  void On(const Usage& usage, const Context& context);
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
  void On(const ToolOutputDelta& delta, const Context& context);
  void On(const Lifecycle& event, const Context& context);

  static Style StyleOf(ApprovalText::Kind kind);
  size_t DepthUnder(const std::string& tool_use_id) const;
  // Starts something: ends the open line and sets it off where it has to be.
  void Begin(Kind kind);
  // A line of harmless text, cut where it would wrap.
  void Line(Style style, absl::string_view text);
  // Any text whole: its lines are kept, and wrapped where they are too long.
  // The first one stands after `sign`, the others below it.
  void Paragraph(Style style, absl::string_view sign, absl::string_view text);
  std::vector<std::string> ParagraphRows(Style style, absl::string_view sign,
                                         absl::string_view text) const;
  // Shows what is asked, or how to see it if it is too long.
  void Ask(const std::string& id, const std::vector<std::string>& rows,
           const Context& context);
  // The first lines of any text, each cut; the first one after `sign`.
  void Lines(Style style, absl::string_view sign, absl::string_view text,
             size_t max_lines);
  // Any text as it is, its last line left open.
  void Stream(absl::string_view text);
  void Fold(const std::vector<std::string>& heads, absl::string_view output,
            Style style);
  std::string Indent() const;
  std::string Painted(Style style, absl::string_view text) const;
  // Columns that a line of this depth has.
  size_t Columns() const;

  Look look_;
  std::string out_;   // Of the message that is being added.
  size_t depth_ = 0;  // Its depth: 0 for the agent, 1 for its subagents.
  Kind last_kind_ = Kind::kNothing;
  bool line_open_ = false;
  std::string open_block_;             // Whose text the open line is.
  std::set<std::string> streamed_;     // Blocks of which text was shown.
  std::map<std::string, Tool> tools_;  // That run, by id.
  int64_t tools_seen_ = 0;
  std::string last_tool_;  // Its line is the last that was printed.
  std::string last_asked_;
  std::string last_text_;  // The agent's.
  std::string last_error_;
  std::string last_todo_;
  std::string last_diff_;
  std::string activity_;  // What it does besides running tools.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TIMELINE_H_
