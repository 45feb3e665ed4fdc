#include "task/decisions.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/utf8.h"
#include "task/answer.h"

namespace troika {
namespace {

constexpr size_t kMaxSubject = 500;
// A stream that never ends must not fill the memory.
constexpr size_t kMaxRemembered = 10000;

std::string Beginning(absl::string_view text) {
  const absl::string_view cut = CutAtCharacter(text, kMaxSubject);
  return absl::StrCat(cut, cut.size() < text.size() ? "…" : "");
}

}  // namespace

std::string SubjectOf(const Approval& approval) {
  if (!approval.command.empty()) return approval.command;
  if (!approval.paths.empty()) return absl::StrJoin(approval.paths, ", ");
  return approval.input_json.empty() ? approval.diff : approval.input_json;
}

std::string SubjectOf(const Question& question) {
  return absl::StrJoin(
      question.items, "; ", [](std::string* out, const Question::Item& item) {
        out->append(item.text.empty() ? item.header : item.text);
      });
}

Decision& Decisions::Append(const Message& message, Decision::About about) {
  if (decisions_.size() == kMaxDecisions) {
    decisions_.pop_front();
    ++left_out_;
  }
  Decision& decision = decisions_.emplace_back();
  decision.event = message.id;
  decision.asked = message.time;
  decision.about = about;
  decision.parent_tool_use_id = message.parent_tool_use_id;
  return decision;
}

Decision* Decisions::FindOpen(const std::string& id) {
  for (auto it = decisions_.rbegin(); it != decisions_.rend(); ++it) {
    const bool open = it->answer.delivery == Delivery::kUnanswered ||
                      it->answer.delivery == Delivery::kAccepted;
    if (it->answer.id == id) return open && !id.empty() ? &*it : nullptr;
  }
  return nullptr;
}

void Decisions::Settle(const Message& message, Settled settled) {
  Decision* const open = FindOpen(settled.id);
  if (open == nullptr) return;
  // The answer was accepted before it was delivered.
  if (!open->decided) open->decided = message.time;
  if (settled.text.empty()) settled.text = open->answer.text;
  settled.text = Beginning(settled.text);
  if (settled.rules.empty()) settled.rules = open->answer.rules;
  open->answer = std::move(settled);
}

void Decisions::Add(const Message& message, const Approval& approval) {
  if (approval.state != Approval::State::kAsked) {
    if (approval.state == Approval::State::kDenied &&
        denied_.size() < kMaxRemembered) {
      denied_.insert(approval.tool_use_id);
    }
    return Settle(message, SettledOf(approval));
  }
  if (!approval.explanation.empty()) {
    if (Decision* const open = FindOpen(approval.id)) {
      open->explanation = approval.explanation;
      open->answer.rules = approval.rules;
      return;
    }
  }
  Decision& decision = Append(message, Decision::About::kApproval);
  decision.kind = approval.kind;
  decision.tool_name = approval.tool_name;
  decision.subject = Beginning(SubjectOf(approval));
  decision.answer.id = approval.id;
}

void Decisions::Add(const Message& message, const Question& question) {
  if (question.state != Question::State::kAsked) {
    return Settle(message, SettledOf(question));
  }
  Decision& decision = Append(message, Decision::About::kQuestion);
  decision.subject = Beginning(SubjectOf(question));
  decision.answer.id = question.id;
}

void Decisions::AddDenial(const Message& message, Denial denial) {
  if (!denial.tool_use_id.empty()) {
    if (denied_.contains(denial.tool_use_id)) return;
    if (denied_.size() < kMaxRemembered) denied_.insert(denial.tool_use_id);
  }
  Decision& decision = Append(message, Decision::About::kDenial);
  decision.decided = message.time;
  decision.tool_name = std::move(denial.tool_name);
  if (decision.tool_name.empty()) {
    const auto running = running_.find(denial.tool_use_id);
    if (running != running_.end()) decision.tool_name = running->second;
  }
  decision.answer.choice = std::string(kDeny);
  decision.answer.text = Beginning(denial.reason);
  decision.answer.by = denial.by.empty() ? "cli" : std::move(denial.by);
  decision.answer.delivery = Delivery::kDelivered;
}

void Decisions::Add(const Message& message) {
  if (const auto* approval = std::get_if<Approval>(&message.payload)) {
    Add(message, *approval);
  } else if (const auto* question = std::get_if<Question>(&message.payload)) {
    Add(message, *question);
  } else if (const auto* use = std::get_if<ToolUse>(&message.payload)) {
    if (running_.size() < kMaxRemembered) running_[use->id] = use->name;
  } else if (const auto* result = std::get_if<ToolResult>(&message.payload)) {
    if (result->denied) {
      AddDenial(message, {.tool_use_id = result->tool_use_id,
                          .tool_name = "",
                          .reason = result->output,
                          .by = ""});
    }
    running_.erase(result->tool_use_id);
  } else if (const auto* notice = std::get_if<Notice>(&message.payload)) {
    if (notice->kind != Notice::Kind::kPermissionDenied) return;
    AddDenial(message, {.tool_use_id = notice->tool_use_id,
                        .tool_name = "",
                        .reason = notice->text,
                        .by = notice->by});
  } else if (const auto* turn = std::get_if<Result>(&message.payload)) {
    // Denials without an id were told by their notices, if anybody told.
    for (const Denial& denial : turn->denials) {
      if (!denial.tool_use_id.empty()) AddDenial(message, denial);
    }
  }
}

}  // namespace troika
