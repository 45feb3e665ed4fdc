#include "cli/timeline/timeline.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/markdown.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr size_t kFewestColumns = 20;
// Deeper subagents are not indented any further.
constexpr size_t kMostDepth = 4;
constexpr int64_t kFewestFolded = 3;
// The part of the screen that folded output takes.
constexpr int64_t kScreenShare = 4;
// Any text that can be shown has fewer columns.
constexpr size_t kAnyLength = size_t{1} << 26;
constexpr absl::string_view kFrames[] = {"⠋", "⠙", "⠹", "⠸", "⠼",
                                         "⠴", "⠦", "⠧", "⠇", "⠏"};

// Returns what a terminal would show of a line in the end, after each \r. A
// line may have megabytes, of which only the first `most` bytes matter.
std::string Shown(absl::string_view line, size_t most) {
  std::string text =
      Sanitized(absl::StripTrailingAsciiWhitespace(line.substr(0, most)));
  text.erase(0, text.rfind('\n') + 1);
  return absl::StrReplaceAll(text, {{"\t", "  "}});
}

// Whether the agent has begun to work, so that its model would be known.
bool IsWork(const Payload& payload) {
  return std::holds_alternative<Text>(payload) ||
         std::holds_alternative<TextDelta>(payload) ||
         std::holds_alternative<Thinking>(payload) ||
         std::holds_alternative<ToolUse>(payload) ||
         std::holds_alternative<Todo>(payload) ||
         std::holds_alternative<Approval>(payload) ||
         std::holds_alternative<Question>(payload) ||
         std::holds_alternative<Result>(payload);
}

}  // namespace

std::string Timeline::Add(const Message& message, const TaskState& state) {
  depth_ = DepthUnder(message.parent_tool_use_id);
  if (!std::holds_alternative<ThinkingDelta>(message.payload) &&
      !std::holds_alternative<TextDelta>(message.payload)) {
    activity_.clear();
  }
  const Context context = {.message = message, .state = state};
  if (header_ && IsWork(message.payload)) {
    ShowHeader(state);
  }
  std::visit([&](const auto& payload) { On(payload, context); },
             message.payload);
  return std::exchange(out_, "");
}

size_t Timeline::DepthUnder(const std::string& tool_use_id) const {
  if (tool_use_id.empty()) return 0;
  const auto tool = tools_.find(tool_use_id);
  const size_t depth = tool == tools_.end() ? 1 : tool->second.depth + 1;
  return std::min(depth, kMostDepth);
}

void Timeline::Markdown(absl::string_view text) {
  const Escapes escapes =
      options_.color == Color::kAlways ? Escapes::kColours : Escapes::kNone;
  // Leaves a column free, because some terminals wrap a full row.
  for (const std::string& row : MarkdownRows(text, Columns() - 1, escapes)) {
    absl::StrAppend(&out_, Painted(Style::kDim, Indent()), row, "\n");
  }
}

std::string Timeline::EndLine() {
  open_block_.clear();
  return std::exchange(line_open_, false) ? "\n" : "";
}

void Timeline::Begin(Kind kind) {
  out_ += EndLine();
  last_.tool.clear();
  last_.asked.clear();
  const bool apart = kind == Kind::kBlock || last_kind_ == Kind::kBlock;
  if (last_kind_ != Kind::kNothing && apart) out_ += "\n";
  last_kind_ = kind;
}

std::string Timeline::Indent() const {
  std::string indent;
  for (size_t i = 0; i < depth_; ++i) indent += "  │ ";
  return indent;
}

size_t Timeline::Columns() const {
  const size_t all = options_.width == 0 ? kLongestLine : options_.width;
  const size_t indent = 4 * depth_;
  return all > indent + kFewestColumns ? all - indent : kFewestColumns;
}

std::string Timeline::Painted(Style style, absl::string_view text) const {
  static constexpr absl::string_view kCodes[] = {"",   "1",  "2", "31",
                                                 "32", "33", "36"};
  const absl::string_view code = kCodes[static_cast<int>(style)];
  if (options_.color == Color::kNever || code.empty() || text.empty()) {
    return std::string(text);
  }
  return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
}

std::string Timeline::OneLine(absl::string_view text) const {
  return SanitizedLine(text, shows_all() ? kAnyLength : kLongestLine);
}

int64_t Timeline::FoldedRows() const {
  const auto height = static_cast<int64_t>(options_.height);
  return std::max(kFewestFolded, height / kScreenShare);
}

void Timeline::Line(Style style, absl::string_view text) {
  if (shows_all()) {
    const size_t columns = options_.width == 0 ? 0 : Columns();
    for (const std::string& row : WrapToWidth(text, columns)) {
      absl::StrAppend(&out_, Painted(Style::kDim, Indent()),
                      Painted(style, row), "\n");
    }
    return;
  }
  absl::StrAppend(&out_, Painted(Style::kDim, Indent()),
                  Painted(style, CutToWidth(text, Columns())), "\n");
}

std::vector<std::string> Timeline::ParagraphRows(Style style,
                                                 absl::string_view sign,
                                                 absl::string_view text) const {
  const std::string space(DisplayWidth(sign), ' ');
  // Leaves a column free, because some terminals wrap a full row.
  const size_t room =
      options_.width == 0
          ? 0
          : std::max(kFewestColumns,
                     Columns() - std::min(Columns() - 1, space.size() + 1));
  const std::string sanitized = absl::StrReplaceAll(
      Sanitized(absl::StripAsciiWhitespace(text)), {{"\t", "  "}});
  std::vector<std::string> rows;
  bool was_empty = false;
  for (const absl::string_view line : absl::StrSplit(sanitized, '\n')) {
    // Several empty lines in a row are shown as one.
    if (std::exchange(was_empty, line.empty()) && line.empty()) continue;
    for (const std::string& row : WrapToWidth(line, room)) {
      rows.push_back(absl::StrCat(
          Painted(Style::kDim, Indent()),
          Painted(style, absl::StrCat(rows.empty() ? sign : space, row))));
    }
  }
  return rows;
}

void Timeline::Paragraph(Style style, absl::string_view sign,
                         absl::string_view text) {
  for (const std::string& row : ParagraphRows(style, sign, text)) {
    absl::StrAppend(&out_, row, "\n");
  }
}

std::string Timeline::AddRows(const std::vector<std::string>& rows) {
  Begin(Kind::kBlock);
  for (const std::string& row : rows) absl::StrAppend(&out_, row, "\n");
  return std::exchange(out_, "");
}

void Timeline::Lines(Style style, absl::string_view sign,
                     absl::string_view text, size_t max_lines) {
  text = absl::StripAsciiWhitespace(text);
  const std::string space(DisplayWidth(sign), ' ');
  const auto all =
      1 + static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  // One more line takes no more room than "… 1 more line".
  const size_t shown = shows_all() || all <= max_lines + 1 ? all : max_lines;
  const size_t most = shows_all() ? kAnyLength : 64 * Columns();
  for (size_t i = 0; i < shown; ++i) {
    const size_t end = text.find('\n');
    Line(style,
         absl::StrCat(i == 0 ? sign : space, Shown(text.substr(0, end), most)));
    text.remove_prefix(end == absl::string_view::npos ? text.size() : end + 1);
  }
  if (shown < all) {
    Line(Style::kDim, absl::StrCat(space, MoreLinesText(all - shown)));
  }
}

void Timeline::Stream(absl::string_view text) {
  const std::string sanitized = Sanitized(text);
  for (absl::string_view rest = sanitized; !rest.empty();) {
    const size_t end = rest.find('\n');
    const absl::string_view line = rest.substr(0, end);
    if (!line_open_ && !line.empty()) {
      out_ += Painted(Style::kDim, Indent());
    }
    absl::StrAppend(&out_, line);
    line_open_ = end == absl::string_view::npos;
    if (!line_open_) out_ += "\n";
    rest.remove_prefix(line_open_ ? rest.size() : end + 1);
  }
}

void Timeline::MoreLines(int64_t lines, const TaskState& state,
                         const EventId& event) {
  const std::string command =
      state.task.empty()
          ? ""
          : absl::StrCat(": troika show ", state.task, " ", EventIdText(event));
  Paragraph(Style::kDim, "    ",
            absl::StrCat("… ", LinesText(lines), " more", command));
}

void Timeline::Fold(const std::vector<std::string>& heads,
                    absl::string_view output, Style style,
                    const Context& context) {
  output = absl::StripTrailingAsciiWhitespace(output);
  while (absl::ConsumePrefix(&output, "\n")) {
  }
  const size_t most = shows_all() ? kAnyLength : 64 * Columns();
  const std::string head = absl::StrJoin(heads, " · ");
  const int64_t lines =
      output.empty() ? 0 : 1 + std::count(output.begin(), output.end(), '\n');
  if (lines <= 1) {
    const std::string text = Shown(output, most);
    const bool both = !head.empty() && !text.empty();
    Line(style, absl::StrCat("  ⎿ ", head, both ? " · " : "", text));
    return;
  }
  // One more line takes no more room than "… 1 more line".
  const int64_t limit = FoldedRows();
  const int64_t shown = shows_all() || lines <= limit + 1 ? lines : limit;
  size_t begin = output.size();
  for (int64_t i = 0; i < shown; ++i) {
    begin = output.rfind('\n', begin - 1);
    if (begin == absl::string_view::npos) begin = 0;
  }
  const absl::string_view last = output.substr(begin == 0 ? 0 : begin + 1);
  bool first = true;
  if (!head.empty()) {
    Line(style, absl::StrCat("  ⎿ ", head));
    first = false;
  }
  if (shown < lines)
    MoreLines(lines - shown, context.state, context.message.id);
  for (const absl::string_view line : absl::StrSplit(last, '\n')) {
    Line(style, absl::StrCat(first && shown == lines ? "  ⎿ " : "    ",
                             Shown(line, most)));
    first = false;
  }
}

std::string Timeline::StatusLine(const TaskState& state, absl::Time now,
                                 int frame) const {
  std::vector<std::string> parts = {
      IsEnding(state) && state.turn_open
          ? "ending"
          : absl::StrReplaceAll(NameOf(state.status), {{"_", " "}})};
  const auto newest = std::max_element(tools_.begin(), tools_.end(),
                                       [](const auto& a, const auto& b) {
                                         return a.second.order < b.second.order;
                                       });
  if (newest != tools_.end()) {
    const ToolLabel& label = newest->second.label;
    // Leaves room for the time and the tokens.
    parts.push_back(CutToWidth(
        absl::StrJoin({label.name, label.what}, label.what.empty() ? "" : " "),
        std::max(kFewestColumns, Columns() / 2)));
  } else if (!activity_.empty()) {
    parts.push_back(activity_);
  }
  if (state.turn_started) {
    const absl::Duration since = now - *state.turn_started;
    parts.push_back(DurationText(absl::Floor(since, absl::Seconds(1))));
  }
  const TokenCounts& usage = state.usage;
  const int64_t tokens =
      usage.input + usage.cached + usage.cache_write + usage.output;
  if (tokens > 0) parts.push_back(absl::StrCat(CountText(tokens), " tokens"));
  const absl::string_view sign =
      kFrames[static_cast<size_t>(std::abs(frame)) % std::size(kFrames)];
  return Painted(
      Style::kDim,
      CutToWidth(absl::StrCat(sign, " ", absl::StrJoin(parts, " · ")),
                 // Some terminals wrap a full line.
                 Columns() - 1));
}

}  // namespace troika::cli
