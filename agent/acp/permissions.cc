#include "agent/acp/permissions.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"

namespace troika::acp {
namespace {

std::string SelectedJson(absl::string_view option) {
  return json::ObjectWriter()
      .Json("outcome", json::ObjectWriter()
                           .String("outcome", "selected")
                           .String("optionId", option)
                           .Take())
      .Take();
}

struct OptionKind {
  absl::string_view kind;
  absl::string_view choice;
};

constexpr OptionKind kOptionKinds[] = {
    {"allow_once", kApprove},
    {"allow_always", kApproveForSession},
    {"reject_once", kDeny},
    {"reject_always", kDeny},
};

// Options of Gemini CLI whose kind is allow_always and that allow more than the
// asked thing for this session: for all later sessions, and all tools of an MCP
// server. Nobody gets them by a choice that says less.
constexpr absl::string_view kTooMuch[] = {"proceed_always_and_save",
                                          "proceed_always_server"};

absl::string_view ChoiceOf(absl::string_view kind) {
  for (const OptionKind& row : kOptionKinds) {
    if (row.kind == kind) return row.choice;
  }
  return "";
}

// Returns the choice that an answer takes. Answers without one are of old logs.
absl::string_view ChoiceOf(const ApprovalAnswer* /*nullable*/ answer) {
  if (answer == nullptr) return kDeny;  // An answer that we can't read.
  if (!answer->choice.empty()) return answer->choice;
  return answer->allow ? kApprove : kDeny;
}

}  // namespace

std::vector<Permissions::Option> Permissions::ReadOptions(json::Value options,
                                                          Drift* drift) {
  std::vector<Option> read;
  for (const json::Value item : options.items()) {
    const auto option = Read<PermissionOption>(
        item, {drift, "session/request_permission.options[]"});
    const absl::string_view choice = ChoiceOf(option.kind);
    if (choice.empty()) {
      if (drift) drift->UnknownType("permission option", option.kind);
      continue;
    }
    const bool too_much = std::find(std::begin(kTooMuch), std::end(kTooMuch),
                                    option.id) != std::end(kTooMuch);
    const bool known =
        std::any_of(read.begin(), read.end(),
                    [&](const Option& o) { return o.choice == choice; });
    const bool too_long = option.id.size() > rpc::Id::kMaxBytes;
    if (too_much || too_long || known) continue;
    read.push_back(
        {.id = std::string(option.id), .choice = std::string(choice)});
  }
  return read;
}

bool Permissions::Ask(const rpc::Id& id, absl::string_view native_tool_id,
                      json::Value options, Approval approval, Drift* drift,
                      Emitter& out) {
  if (Find(id) != open_.end() || open_.size() == kMaxOpen) return false;
  Open open = {.id = id,
               .native_tool_id = std::string(native_tool_id),
               .approval = {},
               .options = ReadOptions(options, drift),
               .reason = ""};
  // In the order in which people read them.
  for (const absl::string_view choice : {kApprove, kApproveForSession}) {
    if (FindChoice(open, choice) != nullptr) {
      approval.choices.emplace_back(choice);
    }
  }
  // Where the agent has no option for a denial, its call is cancelled.
  approval.choices.emplace_back(kDeny);
  approval.choices.emplace_back(kCancel);
  open.approval = {.id = approval.id,
                   .state = Approval::State::kAsked,
                   .tool_use_id = approval.tool_use_id,
                   .tool_name = approval.tool_name,
                   .input_json = "",
                   .reason = "",
                   .kind = approval.kind};
  out.Emit(std::move(approval));
  open_.push_back(std::move(open));
  return true;
}

std::optional<Permissions::Reply> Permissions::ReplyTo(
    const AnswerGiven& answer) {
  const Iterator it = std::find_if(
      open_.begin(), open_.end(),
      [&](const Open& open) { return open.approval.id == answer.id; });
  if (it == open_.end() || std::exchange(it->answered, true)) {
    return std::nullopt;
  }
  const auto* const decision = std::get_if<ApprovalAnswer>(&answer.answer);
  absl::string_view choice = ChoiceOf(decision);
  const Option* option = FindChoice(*it, choice);
  if (option == nullptr && choice != kCancel) {
    // What can't be said on the wire is denied.
    choice = kDeny;
    option = FindChoice(*it, kDeny);
  }
  it->approval.choice = std::string(choice);
  it->approval.by = answer.by;
  it->approval.via = answer.via;
  if (decision != nullptr && choice == kDeny) it->reason = decision->reason;
  return Reply{.id = it->id,
               .result_json = option == nullptr ? std::string(kCancelledJson)
                                                : SelectedJson(option->id),
               .ends_turn = choice == kCancel};
}

std::vector<Permissions::Reply> Permissions::CancelAll() {
  std::vector<Reply> replies;
  for (Open& open : open_) {
    if (std::exchange(open.answered, true)) continue;
    open.approval.choice = std::string(kCancel);
    replies.push_back(
        {.id = open.id, .result_json = std::string(kCancelledJson)});
  }
  return replies;
}

std::optional<Permissions::Refused> Permissions::OnReplied(const rpc::Id& id,
                                                           json::Value result,
                                                           Emitter& out) {
  const Iterator it = Find(id);
  if (it == open_.end()) return std::nullopt;
  Open open = std::move(*it);
  open_.erase(it);
  if (open.cancelled) return std::nullopt;
  const json::Value outcome = result.Get("outcome");
  Approval& approval = open.approval;
  if (approval.choice.empty()) {
    // Another client of a recorded conversation answered.
    approval.choice = std::string(kCancel);
    if (outcome.Get("outcome").StringOr("") == "selected") {
      const absl::string_view chosen = outcome.Get("optionId").StringOr("");
      for (const Option& option : open.options) {
        if (option.id == chosen) approval.choice = option.choice;
      }
    }
  }
  // A person who cancels has decided; else the turn's end withdraws it.
  const bool cancelled = approval.choice == kCancel && approval.by.empty();
  const bool denied =
      approval.choice == kDeny || (approval.choice == kCancel && !cancelled);
  approval.state = cancelled ? Approval::State::kCancelled
                   : denied  ? Approval::State::kDenied
                             : Approval::State::kAllowed;
  if (cancelled) approval.reason = "the turn is cancelled";
  if (denied) approval.reason = open.reason;
  Refused refused = {.native_tool_id = std::move(open.native_tool_id),
                     .why = denied ? "denied" : "cancelled"};
  if (!open.reason.empty()) absl::StrAppend(&refused.why, ": ", open.reason);
  out.Emit(std::move(approval));
  if (!denied && !cancelled) return std::nullopt;
  return refused;
}

Permissions::Withdrawal Permissions::Withdraw(const rpc::Id& id, Emitter& out) {
  const Iterator it = Find(id);
  if (it == open_.end() || it->cancelled) return Withdrawal::kNotOpen;
  EmitCancelled(*it, "withdrawn by the agent", out);
  if (it->answered) return Withdrawal::kAnswered;
  open_.erase(it);
  return Withdrawal::kWithoutAnswer;
}

std::vector<rpc::Id> Permissions::CloseAll(absl::string_view why,
                                           Emitter& out) {
  std::vector<rpc::Id> unanswered;
  for (Open& open : open_) {
    if (!open.cancelled) EmitCancelled(open, why, out);
    if (!open.answered) unanswered.push_back(open.id);
  }
  std::erase_if(open_, [](const Open& open) { return !open.answered; });
  return unanswered;
}

const Permissions::Option* Permissions::FindChoice(const Open& open,
                                                   absl::string_view choice) {
  for (const Option& option : open.options) {
    if (option.choice == choice) return &option;
  }
  return nullptr;
}

void Permissions::EmitCancelled(Open& open, absl::string_view why,
                                Emitter& out) {
  open.cancelled = true;
  open.approval.state = Approval::State::kCancelled;
  open.approval.reason = std::string(why);
  out.Emit(open.approval);
}

Permissions::Iterator Permissions::Find(const rpc::Id& id) {
  return std::find_if(open_.begin(), open_.end(),
                      [&](const Open& open) { return open.id == id; });
}

}  // namespace troika::acp
