// Timeline of tools, plans, approvals and questions.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/approval_text.h"
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
  Tool tool = {.label = LabelOf(use, context.state.cwd),
               .name = use.name,
               .depth = depth_,
               .order = ++tools_seen_};
  if (ShowsItself(use.name)) {
    tool.label.what.clear();
  } else {
    Begin(Kind::kLine);
    const std::string sign =
        CutToWidth(absl::StrCat("● ", tool.label.name), Columns() - 4);
    const size_t used = DisplayWidth(sign) + 2;
    const size_t left = Columns() > used ? Columns() - used : 1;
    absl::StrAppend(&out_, Painted(Style::kDim, Indent()),
                    Painted(Style::kBold, sign),
                    tool.label.what.empty() ? "" : "  ",
                    CutToWidth(tool.label.what, left), "\n");
    last_.tool = use.id;
  }
  tools_[use.id] = std::move(tool);
}

void Timeline::On(const ToolResult& result, const Context&) {
  const bool follows = last_.tool == result.tool_use_id;
  auto node = tools_.extract(result.tool_use_id);
  const Tool tool = node ? std::move(node.mapped()) : Tool();
  if (ShowsItself(tool.name) && !result.is_error) return;
  if (!follows) Begin(Kind::kLine);
  last_.tool.clear();
  std::vector<std::string> heads;
  if (!follows) {
    heads.push_back(CutToWidth(
        absl::StrCat(tool.label.name, tool.label.what.empty() ? "" : " ",
                     tool.label.what),
        Columns() / 2));
  }
  if (result.exit_code.value_or(0) != 0) {
    heads.push_back(absl::StrCat("exit ", *result.exit_code));
  } else if (result.is_error && !result.synthetic) {
    heads.push_back("failed");
  }
  absl::string_view output = result.output;
  // Claude repeats the code in its output.
  if (result.exit_code) {
    absl::ConsumePrefix(&output,
                        absl::StrCat("Exit code ", *result.exit_code, "\n"));
  }
  if (IsContents(tool.name) && !result.is_error && !output.empty()) {
    heads.push_back(
        LinesText(1 + std::count(output.begin(), output.end() - 1, '\n')));
    output = "";
  } else if (IsEdit(tool.name) && !result.is_error && !result.synthetic) {
    output = "";
  }
  if (result.duration >= absl::Seconds(1)) {
    heads.push_back(DurationText(*result.duration));
  }
  if (heads.empty() && absl::StripAsciiWhitespace(output).empty()) {
    heads.push_back("ok");
  }
  const bool bad = result.is_error && !result.synthetic;
  Fold(heads, output, bad ? Style::kRed : Style::kDim);
}

void Timeline::On(const Todo& todo, const Context&) {
  std::vector<std::string> lines;
  for (const Todo::Item& item : todo.items) {
    lines.push_back(
        absl::StrCat("  ", BoxOf(item.status), " ", SanitizedLine(item.text)));
  }
  const std::string list = absl::StrJoin(lines, "\n");
  if (list.empty() || list == std::exchange(last_.todo, list)) return;
  Begin(Kind::kBlock);
  for (size_t i = 0; i < lines.size(); ++i) {
    const Todo::Status status = todo.items[i].status;
    Line(status == Todo::Status::kInProgress ? Style::kBold
         : status == Todo::Status::kPending  ? Style::kPlain
                                             : Style::kDim,
         lines[i]);
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
            absl::StrCat(MoreLinesText(static_cast<int64_t>(rows.size()) - 1),
                         ": troika show ", context.state.task, " --event ",
                         EventIdText(context.message.id)));
}

void Timeline::On(const Approval& approval, const Context& context) {
  // It was shown when the answer was accepted.
  if (approval.delivery == Delivery::kDelivered && !approval.by.empty()) return;
  const std::string what = absl::StrCat(SanitizedLine(approval.tool_name),
                                        ByText(approval.by, approval.via));
  switch (approval.state) {
    case Approval::State::kAsked:
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
      return Paragraph(Style::kYellow,
                       approval.choice == kCancel
                           ? "✘ denied, and the turn cancelled: "
                           : "✘ denied: ",
                       Labelled(what, approval.reason));
    case Approval::State::kCancelled:
      Begin(Kind::kLine);
      return Paragraph(Style::kDim, "approval no longer needed: ",
                       Labelled(what, approval.reason));
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
