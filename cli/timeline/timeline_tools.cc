// Timeline of tools, plans, approvals and questions.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/approval_text.h"
#include "cli/timeline/edit_text.h"
#include "cli/timeline/exact_text.h"
#include "cli/timeline/terminal_text.h"
#include "cli/timeline/timeline.h"

namespace troika::cli {
namespace {

absl::string_view BoxOf(Todo::Status status) {
  static constexpr absl::string_view kBoxes[] = {"☐", "◐", "☒", "☒"};
  return kBoxes[static_cast<int>(status)];
}

// Whether another message shows the use of the tool: a todo list, a question.
bool ShowsItself(absl::string_view tool) {
  return tool == "TodoWrite" || tool == "AskUser";
}

// Whether the output is meant for the agent, not for people.
bool IsContents(absl::string_view tool) {
  return tool == "Read" || tool == "ReadMany";
}
bool IsEdit(absl::string_view tool) {
  return tool == "Edit" || tool == "Write" || tool == "NotebookEdit";
}

// A shorter time of a tool is not worth telling.
constexpr absl::Duration kShortest = absl::Milliseconds(100);

// Counts an edit in; several of a file are one.
void AddChanged(const FileEdit& edit, std::vector<FileEdit>* files) {
  const auto known = std::find_if(
      files->begin(), files->end(),
      [&](const FileEdit& file) { return file.path == edit.path; });
  if (known == files->end()) {
    files->push_back({.path = edit.path,
                      .added = edit.added,
                      .removed = edit.removed,
                      .counted = edit.counted});
    return;
  }
  known->added += edit.added;
  known->removed += edit.removed;
  known->counted = known->counted && edit.counted;
}

// Returns text that names who answered, or nothing if the user did at a
// terminal.
std::string ByText(absl::string_view by, absl::string_view via) {
  if (by.empty() || (by == "user" && (via.empty() || via == "terminal"))) {
    return "";
  }
  return absl::StrCat(" (by ", SanitizedLine(by),
                      via.empty() ? "" : absl::StrCat(", ", SanitizedLine(via)),
                      ")");
}

}  // namespace

void Timeline::On(const ToolUse& use, const Context& context) {
  Tool tool = {.label = LabelOf(
                   use, context.state.cwd,
                   shows_all() ? LabelLength::kWhole : LabelLength::kOfLine),
               .name = use.name,
               .depth = depth_,
               .order = ++tools_seen_,
               .event = context.message.id,
               .edits = EditsOf(use, context.state.cwd),
               .began = context.message.time};
  if (ShowsItself(use.name)) {
    tool.label.what.clear();
  } else {
    Begin(Kind::kLine);
    const std::string counts =
        tool.edits.size() == 1 ? CountsText(tool.edits[0]) : "";
    const std::string sign =
        CutToWidth(absl::StrCat("● ", tool.label.name), Columns() - 4);
    const size_t used = DisplayWidth(sign) + 2 +
                        (counts.empty() ? 0 : DisplayWidth(counts) + 2);
    const size_t left = Columns() > used ? Columns() - used : 1;
    const std::string& what = tool.label.what;
    absl::StrAppend(
        &out_, Painted(Style::kDim, Indent()), Painted(Style::kBold, sign),
        what.empty() ? "" : "  ",
        options_.width == 0 ? what : CutToWidth(what, left),
        counts.empty() ? "" : absl::StrCat("  ", Painted(Style::kDim, counts)),
        "\n");
    last_.tool = use.id;
  }
  tools_[use.id] = std::move(tool);
}

std::optional<absl::Duration> Timeline::TimeOf(const Tool& tool,
                                               const ToolResult& result,
                                               const Message& message) {
  if (!tool.began || !message.time) return result.duration;
  absl::Duration waited = tool.waited;
  if (tool.waits_since) waited += *message.time - *tool.waits_since;
  return *message.time - *tool.began - waited;
}

void Timeline::ShowEdits(const Tool& tool, const Context& context) {
  for (const FileEdit& edit : tool.edits) {
    if (!has_diff_) AddChanged(edit, &changed_);
    if (tool.edits.size() > 1 && edit.counted) {
      Line(Style::kDim,
           absl::StrCat("  ", OneLine(edit.path), "  ", CountsText(edit)));
    }
    const auto all = static_cast<int64_t>(edit.lines.size());
    const int64_t limit = FoldedRows();
    const int64_t shown = shows_all() || all <= limit + 1 ? all : limit;
    for (int64_t i = 0; i < shown; ++i) {
      const FileEdit::Line& line = edit.lines[static_cast<size_t>(i)];
      const absl::string_view mark =
          line.kind == ApprovalText::Kind::kAdded     ? "+ "
          : line.kind == ApprovalText::Kind::kRemoved ? "- "
                                                      : "  ";
      Line(StyleOf(line.kind),
           absl::StrCat("  │ ", mark, ExactLine(line.text)));
    }
    if (shown < all) MoreLines(all - shown, context.state, tool.event);
  }
}

void Timeline::On(const ToolResult& result, const Context& context) {
  const bool follows = last_.tool == result.tool_use_id;
  auto node = tools_.extract(result.tool_use_id);
  const Tool tool = node ? std::move(node.mapped()) : Tool();
  if (ShowsItself(tool.name) && !result.is_error) return;
  // The end of the turn says why.
  if (result.synthetic && IsEnding(context.state)) return;
  if (!follows) Begin(Kind::kLine);
  last_.tool.clear();
  std::vector<std::string> heads;
  if (!follows) {
    const std::string name = absl::StrCat(
        tool.label.name, tool.label.what.empty() ? "" : " ", tool.label.what);
    heads.push_back(shows_all() ? name : CutToWidth(name, Columns() / 2));
  }
  if (result.exit_code.value_or(0) != 0) {
    heads.push_back(absl::StrCat("exit ", *result.exit_code));
  } else if (result.is_error && !result.synthetic) {
    heads.push_back(result.denied ? "denied" : "failed");
  }
  absl::string_view output = result.output;
  // Claude repeats the code in its output.
  if (result.exit_code) {
    absl::ConsumePrefix(&output,
                        absl::StrCat("Exit code ", *result.exit_code, "\n"));
  }
  const bool edited =
      IsEdit(tool.name) && !result.is_error && !result.synthetic;
  if (IsContents(tool.name) && !result.is_error && !output.empty()) {
    heads.push_back(
        LinesText(1 + std::count(output.begin(), output.end() - 1, '\n')));
    if (!shows_all()) output = "";
  } else if (edited) {
    output = "";
  }
  const auto took = TimeOf(tool, result, context.message);
  if (took >= kShortest) heads.push_back(DurationText(*took));
  const bool nothing = absl::StripAsciiWhitespace(output).empty();
  const bool has_lines =
      std::any_of(tool.edits.begin(), tool.edits.end(),
                  [](const FileEdit& edit) { return !edit.lines.empty(); });
  if (heads.empty() && nothing && !(edited && has_lines)) {
    heads.push_back("ok");
  }
  const bool bad = result.is_error && !result.synthetic;
  if (!heads.empty() || !nothing) {
    Fold(heads, output, bad ? Style::kRed : Style::kDim, context);
  }
  if (edited) ShowEdits(tool, context);
}

// The list is drawn once. Later on only items that are new or have another
// status are shown.
void Timeline::On(const Todo& todo, const Context&) {
  const std::vector<Todo::Item> before = std::exchange(last_.todo, todo.items);
  const auto was = [&](const Todo::Item& item) {
    return std::find_if(
        before.begin(), before.end(),
        [&](const Todo::Item& old) { return old.text == item.text; });
  };
  const bool is_known =
      std::any_of(todo.items.begin(), todo.items.end(),
                  [&](const auto& item) { return was(item) != before.end(); });
  bool began = false;
  for (const Todo::Item& item : todo.items) {
    const auto old = was(item);
    if (old != before.end() && old->status == item.status) continue;
    if (!std::exchange(began, true)) {
      Begin(is_known ? Kind::kLine : Kind::kBlock);
    }
    Line(item.status == Todo::Status::kInProgress ? Style::kBold
         : item.status == Todo::Status::kPending  ? Style::kPlain
                                                  : Style::kDim,
         absl::StrCat("  ", BoxOf(item.status), " ", OneLine(item.text)));
  }
}

std::vector<std::string> Timeline::Rows(const Approval& approval) const {
  const ApprovalText text = DescribeApproval(approval);
  const absl::string_view kind = KindText(approval.kind);
  std::vector<std::string> rows = ParagraphRows(
      Style::kYellow, "? ",
      absl::StrCat(
          "approval needed", kind.empty() ? "" : absl::StrCat(" (", kind, ")"),
          ": ", text.tool,
          text.lines.empty() ? "" : absl::StrCat(" (", SizeText(text), ")")));
  if (!absl::StripAsciiWhitespace(approval.reason).empty()) {
    for (std::string& row :
         ParagraphRows(Style::kPlain, "  ", approval.reason)) {
      rows.push_back(std::move(row));
    }
  }
  for (const ApprovalRow& row :
       RowsOf(text, options_.width == 0 ? 0 : Columns())) {
    rows.push_back(absl::StrCat(Painted(Style::kDim, Indent()),
                                Painted(StyleOf(row.kind), row.text)));
  }
  return rows;
}

Timeline::Style Timeline::StyleOf(ApprovalText::Kind kind) {
  switch (kind) {
    case ApprovalText::Kind::kField:
    case ApprovalText::Kind::kSame:
      return Style::kDim;
    case ApprovalText::Kind::kRemoved:
      return Style::kRed;
    case ApprovalText::Kind::kAdded:
      return Style::kGreen;
    case ApprovalText::Kind::kText:
      break;
  }
  return Style::kPlain;
}

void Timeline::Ask(const std::string& id, const std::vector<std::string>& rows,
                   const Context& context) {
  Begin(Kind::kBlock);
  if (options_.most_rows == 0 || rows.size() <= options_.most_rows) {
    for (const std::string& row : rows) absl::StrAppend(&out_, row, "\n");
    last_.asked = id;
    return;
  }
  absl::StrAppend(&out_, rows[0], "\n");
  Paragraph(Style::kDim, "  ",
            absl::StrCat("… ", LinesText(static_cast<int64_t>(rows.size()) - 1),
                         " more: troika show ", context.state.task, " ",
                         EventIdText(context.message.id)));
}

void Timeline::On(const Approval& approval, const Context& context) {
  if (const auto tool = tools_.find(approval.tool_use_id);
      tool != tools_.end() && context.message.time) {
    Tool& asks = tool->second;
    if (approval.state == Approval::State::kAsked) {
      asks.waits_since = context.message.time;
    } else if (asks.waits_since) {
      asks.waited += *context.message.time -
                     *std::exchange(asks.waits_since, std::nullopt);
    }
  }
  // It was shown when the answer was accepted.
  if (approval.delivery == Delivery::kDelivered && !approval.by.empty()) return;
  std::string what = absl::StrCat(SanitizedLine(approval.tool_name),
                                  ByText(approval.by, approval.via));
  if (approval.by == "rule" && !approval.rules.empty()) {
    absl::StrAppend(&what, " ", SanitizedLine(approval.rules[0].file), ":",
                    approval.rules[0].line);
  }
  switch (approval.state) {
    case Approval::State::kAsked:
      // It was shown when the agent asked.
      if (!approval.explanation.empty()) {
        Begin(Kind::kLine);
        return Paragraph(Style::kDim,
                         "the rules leave it to you: ", approval.explanation);
      }
      return Ask(approval.id, Rows(approval), context);
    case Approval::State::kAllowed:
      Begin(Kind::kLine);
      return Line(Style::kGreen,
                  absl::StrCat(approval.choice == kApproveForSession
                                   ? "✔ allowed for the session: "
                                   : "✔ allowed: ",
                               what));
    case Approval::State::kDenied:
      Begin(Kind::kLine);
      return Paragraph(Style::kYellow, "✘ ",
                       absl::StrCat(approval.choice == kCancel
                                        ? "denied, and the turn cancelled: "
                                        : "denied: ",
                                    Labelled(what, approval.reason)));
    case Approval::State::kCancelled:
      if (IsEnding(context.state)) return;
      Begin(Kind::kLine);
      return Paragraph(Style::kDim, "",
                       absl::StrCat("approval no longer needed: ",
                                    Labelled(what, approval.reason)));
  }
}

std::vector<std::string> Timeline::Rows(const Question& question) const {
  std::vector<std::string> rows;
  const auto add = [&](Style style, absl::string_view sign,
                       absl::string_view text) {
    for (std::string& row : ParagraphRows(style, sign, text)) {
      rows.push_back(std::move(row));
    }
  };
  for (const Question::Item& item : question.items) {
    add(Style::kYellow, "? ",
        absl::StrCat(Labelled(item.header, item.text),
                     item.multi_select ? " (any of)" : ""));
    for (size_t i = 0; i < item.options.size(); ++i) {
      const std::string& option = item.options[i];
      add(Style::kPlain, absl::StrCat("    ", i + 1, ". "),
          i < item.descriptions.size() ? Labelled(option, item.descriptions[i])
                                       : option);
    }
  }
  return rows;
}

void Timeline::On(const Question& question, const Context& context) {
  if (question.delivery == Delivery::kDelivered && !question.by.empty()) return;
  switch (question.state) {
    case Question::State::kCancelled:
      if (IsEnding(context.state)) return;
      Begin(Kind::kLine);
      return Line(Style::kDim, "the question is no longer open");
    case Question::State::kAsked:
      return Ask(question.id, Rows(question), context);
    case Question::State::kAnswered:
      break;
  }
  Begin(Kind::kLine);
  for (const Question::Item& item : question.items) {
    Paragraph(Style::kGreen, "✔ ",
              absl::StrCat(Labelled(item.header, item.text), " → ",
                           absl::StrJoin(item.answers, ", ")));
  }
}

}  // namespace troika::cli
