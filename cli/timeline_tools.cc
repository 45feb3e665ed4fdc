// What the agent does, plans and asks for.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cli/amounts.h"
#include "cli/terminal_text.h"
#include "cli/timeline.h"

namespace troika::cli {
namespace {

absl::string_view BoxOf(Todo::Status status) {
  static constexpr absl::string_view kBoxes[] = {"☐", "◐", "☒", "☒"};
  return kBoxes[static_cast<int>(status)];
}

// Tools whose own message says it all: a todo list, a question.
bool ShowsItself(absl::string_view tool) {
  return tool == "TodoWrite" || tool == "AskUser";
}

// What these give is for the agent and not for people.
bool IsContents(absl::string_view tool) {
  return tool == "Read" || tool == "ReadMany";
}
bool IsEdit(absl::string_view tool) {
  return tool == "Edit" || tool == "Write" || tool == "NotebookEdit";
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
    last_tool_ = use.id;
  }
  tools_[use.id] = std::move(tool);
}

void Timeline::On(const ToolResult& result, const Context&) {
  const bool follows = last_tool_ == result.tool_use_id;
  auto node = tools_.extract(result.tool_use_id);
  const Tool tool = node ? std::move(node.mapped()) : Tool();
  if (ShowsItself(tool.name) && !result.is_error) return;
  if (!follows) Begin(Kind::kLine);
  last_tool_.clear();
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
  // Claude says the code in its output, too.
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
  std::string list;
  for (const Todo::Item& item : todo.items) {
    absl::StrAppend(&list, BoxOf(item.status), " ", HarmlessLine(item.text),
                    "\n");
  }
  if (list.empty() || list == last_todo_) return;
  last_todo_ = list;
  Begin(Kind::kBlock);
  for (size_t i = 0; i < todo.items.size(); ++i) {
    const Todo::Status status = todo.items[i].status;
    const absl::string_view line = list;
    Line(status == Todo::Status::kInProgress ? Style::kBold
         : status == Todo::Status::kPending  ? Style::kPlain
                                             : Style::kDim,
         absl::StrCat("  ", line.substr(0, line.find('\n'))));
    list.erase(0, list.find('\n') + 1);
  }
}

void Timeline::On(const Approval& approval, const Context& context) {
  const ToolLabel label = LabelOf(approval, context.state.cwd);
  const std::string what =
      absl::StrCat(label.name, label.what.empty() ? "" : "  ", label.what);
  const std::string reason = HarmlessLine(approval.reason);
  switch (approval.state) {
    case Approval::State::kAsked:
      Begin(Kind::kBlock);
      Line(Style::kYellow, absl::StrCat("? approval needed: ", what));
      if (!reason.empty()) Line(Style::kPlain, absl::StrCat("  ", reason));
      return;
    case Approval::State::kAllowed:
      Begin(Kind::kLine);
      return Line(Style::kGreen, absl::StrCat("✔ allowed: ", what));
    case Approval::State::kDenied:
      Begin(Kind::kLine);
      return Line(Style::kYellow,
                  absl::StrCat("✘ denied: ", Labelled(what, reason)));
    case Approval::State::kCancelled:
      Begin(Kind::kLine);
      return Line(Style::kDim, absl::StrCat("approval no longer needed: ",
                                            Labelled(what, reason)));
  }
}

void Timeline::On(const Question& question, const Context&) {
  if (question.state == Question::State::kCancelled) {
    Begin(Kind::kLine);
    return Line(Style::kDim, "the question is no longer open");
  }
  const bool asked = question.state == Question::State::kAsked;
  Begin(asked ? Kind::kBlock : Kind::kLine);
  for (const Question::Item& item : question.items) {
    const std::string text = HarmlessLine(Labelled(item.header, item.text));
    if (!asked) {
      Line(Style::kGreen,
           absl::StrCat("✔ ", text, " → ",
                        HarmlessLine(absl::StrJoin(item.answers, ", "))));
      continue;
    }
    Line(Style::kYellow,
         absl::StrCat("? ", text, item.multi_select ? " (any of)" : ""));
    for (size_t i = 0; i < item.options.size(); ++i) {
      Line(Style::kPlain,
           absl::StrCat("    ", i + 1, ". ", HarmlessLine(item.options[i])));
    }
  }
}

}  // namespace troika::cli
