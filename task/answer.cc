#include "task/answer.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/utf8.h"

namespace troika {
namespace {

constexpr size_t kMaxShortText = 200;
constexpr absl::string_view kUnreadable =
    "the answer in the log is none to this request";

constexpr absl::string_view kDeliveryNames[] = {"unanswered", "accepted",
                                                "delivered", "late"};

absl::Status CheckInput(absl::string_view input_json) {
  if (input_json.empty()) return absl::OkStatus();
  json::Parser parser;
  const absl::StatusOr<json::Value> input = parser.Parse(input_json);
  if (input.ok() && input->IsObject()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the input of an approval is no JSON object: give the tool's whole "
      "input, or leave it out");
}

absl::Status CheckChoice(const Approval& asked, const ApprovalAnswer& answer) {
  const absl::string_view choice = ChoiceOf(answer);
  const bool known = std::find(asked.choices.begin(), asked.choices.end(),
                               choice) != asked.choices.end();
  // Logs of before 2026-11-17 list no choices.
  const bool old =
      asked.choices.empty() && (choice == kApprove || choice == kDeny);
  if (!known && !old) {
    return absl::InvalidArgumentError(absl::StrCat(
        asked.id, " does not offer the choice ", choice, ": it offers ",
        asked.choices.empty() ? absl::StrCat(kApprove, ", ", kDeny)
                              : absl::StrJoin(asked.choices, ", ")));
  }
  if (asked.kind == Approval::Kind::kBudget && !answer.input_json.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(asked.id,
                     " takes no input: approve it to let the task use as much "
                     "again, or deny it"));
  }
  return CheckInput(answer.input_json);
}

absl::Status CheckItems(const Question& question,
                        const QuestionAnswer& answer) {
  if (answer.answers.size() != question.items.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the question has ", question.items.size(), " items, and ",
                     answer.answers.size(),
                     " were answered: answer each of them, in their order"));
  }
  for (size_t i = 0; i < answer.answers.size(); ++i) {
    const size_t count = answer.answers[i].size();
    if (count == 0 || (count > 1 && !question.items[i].multi_select)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "item ", i + 1, " of the question takes ",
          question.items[i].multi_select ? "one answer or more" : "one answer",
          ", and ", count, " were given"));
    }
  }
  return absl::OkStatus();
}

// The newest of that id, or null.
const Settled* /*nullable*/ FindSettled(const TaskState& state,
                                        absl::string_view id) {
  const auto it =
      std::find_if(state.settled.rbegin(), state.settled.rend(),
                   [&](const Settled& one) { return one.id == id; });
  return it == state.settled.rend() ? nullptr : &*it;
}

// The answer that the log has to what is or was asked under this id.
std::optional<Settled> FindAnswer(const TaskState& state,
                                  const std::string& id) {
  if (const auto it = state.approvals.find(id); it != state.approvals.end()) {
    if (!it->second.answered) return std::nullopt;
    return SettledOf(it->second.request);
  }
  if (const auto it = state.questions.find(id); it != state.questions.end()) {
    if (!it->second.answered) return std::nullopt;
    return SettledOf(it->second.request);
  }
  const Settled* const settled = FindSettled(state, id);
  if (settled == nullptr || settled->choice.empty()) return std::nullopt;
  return *settled;
}

absl::Status NothingWaits(const TaskState& state, absl::string_view id) {
  const Settled* const settled = FindSettled(state, id);
  if (settled != nullptr && !settled->choice.empty()) {
    return AnsweredError(*settled);
  }
  if (settled != nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        id, " can't be answered any more: ", settled->text,
        state.process_alive ? ""
                            : "; give the task another turn, and the agent "
                              "asks again if it still needs to"));
  }
  if (!state.process_alive) {
    return absl::FailedPreconditionError(
        absl::StrCat("answer ", id, ": task ", state.task,
                     " is not running, so nothing waits for an answer; give "
                     "it another turn"));
  }
  return absl::NotFoundError(
      absl::StrCat("nothing of the id ", id, " waits for an answer in task ",
                   state.task, ": see what the task waits for now"));
}

std::string JoinAnswers(const std::vector<std::string>& answers) {
  return absl::StrJoin(answers, ", ");
}

}  // namespace

Settled SettledOf(const Approval& approval) {
  return {.id = approval.id,
          .choice = approval.choice,
          .text = approval.reason,
          .by = approval.by,
          .via = approval.via,
          .delivery = approval.delivery,
          .user = approval.user,
          .client = approval.client,
          .rules = approval.by == kByRule ? approval.rules
                                          : std::vector<DecidingRule>(),
          .always = approval.always};
}

Settled SettledOf(const Question& question) {
  Settled settled = {.id = question.id,
                     .by = question.by,
                     .via = question.via,
                     .delivery = question.delivery,
                     .user = question.user,
                     .client = question.client};
  if (question.delivery == Delivery::kUnanswered) {
    settled.text = "the agent asks no more";
    return settled;
  }
  settled.choice = std::string(kAnswerChoice);
  settled.text = absl::StrJoin(
      question.items, "; ", [](std::string* out, const auto& item) {
        absl::StrAppend(out, JoinAnswers(item.answers));
      });
  return settled;
}

Settled SettledOf(const AnswerGiven& given) {
  Settled settled = {.id = given.id,
                     .by = given.by,
                     .via = given.via,
                     .user = given.user,
                     .client = given.client,
                     .rules = given.rules,
                     .always = given.always};
  if (const auto* approval = std::get_if<ApprovalAnswer>(&given.answer)) {
    settled.choice = std::string(ChoiceOf(*approval));
    if (!approval->allow) settled.text = approval->reason;
  } else if (const auto* question =
                 std::get_if<QuestionAnswer>(&given.answer)) {
    settled.choice = std::string(kAnswerChoice);
    settled.text = absl::StrJoin(question->answers, "; ",
                                 [](std::string* out, const auto& answers) {
                                   absl::StrAppend(out, JoinAnswers(answers));
                                 });
  }
  return settled;
}

absl::Status AnsweredError(const Settled& winner) {
  std::string text = absl::StrCat(winner.id, " was answered already, by ",
                                  winner.by.empty() ? "user" : winner.by);
  if (!winner.via.empty()) absl::StrAppend(&text, " (", winner.via, ")");
  absl::StrAppend(&text, ": ", winner.choice);
  if (!winner.text.empty()) {
    absl::StrAppend(&text, ", ", CutAtCharacter(winner.text, kMaxShortText));
  }
  absl::Status error =
      absl::FailedPreconditionError(absl::StrCat(text, "; that answer counts"));
  error.SetPayload(
      kAnsweredPayload,
      absl::Cord(json::ObjectWriter()
                     .String("id", winner.id)
                     .String("choice", winner.choice)
                     .String("text", winner.text)
                     .String("by", winner.by)
                     .String("via", winner.via)
                     .String("delivery",
                             kDeliveryNames[static_cast<int>(winner.delivery)])
                     .Take()));
  return error;
}

absl::Status CheckAnswer(const TaskState& state, const AnswerGiven& given) {
  const auto* const approval = std::get_if<ApprovalAnswer>(&given.answer);
  const auto* const question = std::get_if<QuestionAnswer>(&given.answer);
  const auto asked = state.approvals.find(given.id);
  const auto posed = state.questions.find(given.id);
  const bool is_approval = asked != state.approvals.end();
  if (!is_approval && posed == state.questions.end()) {
    return NothingWaits(state, given.id);
  }
  if (const auto winner = FindAnswer(state, given.id)) {
    return AnsweredError(*winner);
  }
  if (is_approval) {
    if (approval != nullptr)
      return CheckChoice(asked->second.request, *approval);
    return absl::InvalidArgumentError(
        absl::StrCat(given.id, " is an approval: say whether it is allowed"));
  }
  if (question != nullptr) return CheckItems(posed->second.request, *question);
  return absl::InvalidArgumentError(
      absl::StrCat(given.id, " is a question: answer its items"));
}

absl::Status CheckTaken(const TaskState& state, const AnswerGiven& given) {
  std::optional<Settled> taken = FindAnswer(state, given.id);
  // The agent may have used the id again meanwhile.
  const Settled* const settled = FindSettled(state, given.id);
  if (!taken && settled != nullptr && !settled->choice.empty()) {
    taken = *settled;
  }
  if (!taken) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the answer to ", given.id,
        " came too late: the agent ended, or withdrew it, before the answer "
        "was in the log"));
  }
  const Settled ours = SettledOf(given);
  const bool same = taken->choice == ours.choice && taken->by == ours.by &&
                    taken->via == ours.via;
  return same ? absl::OkStatus() : AnsweredError(*taken);
}

Approval Accepted(Approval asked, const AnswerGiven& given) {
  ApprovalAnswer answer = {.reason = std::string(kUnreadable)};
  if (const auto* fits = std::get_if<ApprovalAnswer>(&given.answer)) {
    answer = *fits;
  }
  asked.state =
      answer.allow ? Approval::State::kAllowed : Approval::State::kDenied;
  asked.input_json.clear();
  asked.command.clear();
  asked.cwd.clear();
  asked.diff.clear();
  asked.choices.clear();
  asked.reason = answer.allow ? "" : answer.reason;
  asked.choice = std::string(ChoiceOf(answer));
  asked.by = given.by;
  asked.via = given.via;
  asked.user = given.user;
  asked.client = given.client;
  asked.rules = given.rules;
  asked.always = given.always;
  asked.explanation.clear();
  asked.paths.clear();
  asked.proposed_rules.clear();
  asked.exact = false;
  asked.delivery = Delivery::kAccepted;
  return asked;
}

Question Accepted(Question asked, const AnswerGiven& given) {
  asked.state = Question::State::kAnswered;
  if (const auto* fits = std::get_if<QuestionAnswer>(&given.answer)) {
    const size_t count = std::min(asked.items.size(), fits->answers.size());
    for (size_t i = 0; i < count; ++i) {
      asked.items[i].answers = fits->answers[i];
      HideAnswers(asked.items[i]);
    }
  }
  asked.by = given.by;
  asked.via = given.via;
  asked.user = given.user;
  asked.client = given.client;
  asked.delivery = Delivery::kAccepted;
  return asked;
}

absl::string_view DenialChoice(const Approval& asked) {
  const auto offers = [&](absl::string_view choice) {
    return std::find(asked.choices.begin(), asked.choices.end(), choice) !=
           asked.choices.end();
  };
  return !offers(kDeny) && offers(kCancel) ? kCancel : kDeny;
}

AnswerGiven TimedOut(const Approval& asked, absl::Duration timeout) {
  return {.id = asked.id,
          .by = "timeout",
          .answer = ApprovalAnswer{
              .reason = absl::StrCat("nobody answered within ",
                                     absl::FormatDuration(timeout)),
              .choice = std::string(DenialChoice(asked))}};
}

std::string ShortText(const Approval& approval) {
  const std::string& what =
      approval.command.empty() ? approval.reason : approval.command;
  if (what.empty()) return approval.tool_name;
  return absl::StrCat(approval.tool_name, " `",
                      CutAtCharacter(what, kMaxShortText), "`");
}

std::string DenialPrompt(const Approval& asked, const Approval& denied) {
  return absl::StrCat(
      denied.by == kByRule ? "My rules do not allow " : "I did not allow ",
      ShortText(asked), ": ", denied.reason);
}

const OwedReason* /*nullable*/ NextReason(const TaskState& state,
                                          const Capabilities& can) {
  if (state.owed_reasons.empty() || !state.process_alive ||
      state.input_closed || state.ending.kind != Ending::Kind::kNone) {
    return nullptr;
  }
  const OwedReason& first = state.owed_reasons.front();
  // The agent hears the denial first.
  if (state.approvals.contains(first.approval)) return nullptr;
  return (state.turn_open ? can.steer : can.follow_up) ? &first : nullptr;
}

}  // namespace troika
