#include "cli/approvals/respond.h"

#include <algorithm>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/timeline/exact_text.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kVia = "terminal";

template <typename T>
std::string JoinIds(const std::map<std::string, Pending<T>>& pending) {
  std::vector<absl::string_view> ids;
  for (const auto& [id, one] : pending) {
    if (!one.answered) ids.push_back(id);
  }
  return absl::StrJoin(ids, ", ");
}

// Returns the one with this id, or the oldest one if `id` is empty.
template <typename T>
absl::StatusOr<const T*> Pick(const std::map<std::string, Pending<T>>& pending,
                              absl::string_view what, const std::string& task,
                              const std::string& id) {
  const std::string oldest = Oldest(pending);
  const auto found = pending.find(id.empty() ? oldest : id);
  if (found != pending.end()) return &found->second.request;
  if (oldest.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no ", what, " of task ", task, " waits: `troika show ",
                     task, "` shows what does"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "no ", what, " ", id, " waits, there are: ", JoinIds(pending)));
}

absl::StatusOr<v1::RespondRequest> ReadAnswers(
    const Question& question, const std::vector<std::string>& given) {
  const size_t wanted = question.items.size();
  if (given.size() != wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        wanted, wanted == 1 ? " answer is" : " answers are", " needed, and ",
        given.size(), given.size() == 1 ? " was" : " were",
        " given: use --answer once for each"));
  }
  std::vector<std::vector<std::string>> answers;
  for (size_t i = 0; i < wanted; ++i) {
    ASSIGN_OR_RETURN(answers.emplace_back(),
                     ReadChoice(question.items[i], given[i]));
  }
  return QuestionResponse(question.id, answers);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadChoice(const Question::Item& item,
                                                    absl::string_view typed) {
  typed = absl::StripAsciiWhitespace(typed);
  if (typed.empty()) {
    return absl::InvalidArgumentError(
        item.options.empty() ? "type an answer"
                             : "type the number of an option, or an answer");
  }
  for (const std::string& option : item.options) {
    if (absl::EqualsIgnoreCase(typed, absl::StripAsciiWhitespace(option))) {
      return std::vector<std::string>{option};
    }
  }
  std::vector<std::string> answers;
  for (const absl::string_view part :
       absl::StrSplit(typed, absl::ByAnyChar(", "), absl::SkipEmpty())) {
    size_t number = 0;
    // Anything else is an answer in the user's own words.
    if (!absl::SimpleAtoi(part, &number) || item.options.empty()) {
      return std::vector<std::string>{std::string(typed)};
    }
    if (number < 1 || number > item.options.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no option ", part, ": type 1 to ", item.options.size()));
    }
    answers.push_back(item.options[number - 1]);
  }
  if (answers.size() > 1 && !item.multi_select) {
    return absl::InvalidArgumentError("only one option can be chosen");
  }
  return answers;
}

v1::RespondRequest ApprovalResponse(const std::string& id,
                                    absl::string_view choice,
                                    absl::string_view reason) {
  v1::RespondRequest request;
  request.set_id(id);
  request.set_via(std::string(kVia));
  request.mutable_approval()->set_allow(choice == kApprove ||
                                        choice == kApproveForSession);
  request.mutable_approval()->set_choice(std::string(choice));
  request.mutable_approval()->set_reason(json::ToValidUtf8(reason));
  return request;
}

v1::RespondRequest AlwaysResponse(const std::string& id,
                                  const std::string& rule) {
  v1::RespondRequest request = ApprovalResponse(id, kApprove, "");
  request.mutable_approval()->set_always(rule);
  return request;
}

std::string ProposalsText(const std::vector<std::string>& rules) {
  std::string text;
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::vector<std::string> lines = ExactLines(rules[i]);
    absl::StrAppend(&text, "  ", i + 1, "  ", absl::StrJoin(lines, "\n     "),
                    "\n");
  }
  return text;
}

absl::StatusOr<std::string> ProposedRule(const Approval& approval, int number) {
  const std::vector<std::string>& rules = approval.proposed_rules;
  if (rules.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no rule can allow ", approval.id,
                     ", or only one that allows far too much: allow it once"));
  }
  if (number < 1 || static_cast<size_t>(number) > rules.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no rule ", number, "; these would allow ",
                     approval.id, ":\n", ProposalsText(rules)));
  }
  return rules[static_cast<size_t>(number) - 1];
}

v1::RespondRequest QuestionResponse(
    const std::string& id,
    const std::vector<std::vector<std::string>>& answers) {
  v1::RespondRequest request;
  request.set_id(id);
  request.set_via(std::string(kVia));
  for (const std::vector<std::string>& item : answers) {
    auto& out = *request.mutable_question()->add_items();
    for (const std::string& answer : item) {
      out.add_answers(json::ToValidUtf8(answer));
    }
  }
  return request;
}

absl::StatusOr<v1::RespondRequest> MakeResponse(const TaskState& state,
                                                const Reply& reply) {
  if (reply.kind == Reply::Kind::kAnswer) {
    ASSIGN_OR_RETURN(const Question* const question,
                     Pick(state.questions, "question", state.task, reply.id));
    return ReadAnswers(*question, reply.answers);
  }
  ASSIGN_OR_RETURN(const Approval* const approval,
                   Pick(state.approvals, "approval", state.task, reply.id));
  // The server knows best what became of one that is answered.
  const std::vector<std::string>& offered = approval->choices;
  if (approval->delivery == Delivery::kUnanswered && !offered.empty() &&
      std::find(offered.begin(), offered.end(), reply.choice) ==
          offered.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(approval->id, " does not offer the choice ", reply.choice,
                     ": it offers ", absl::StrJoin(offered, ", ")));
  }
  if (reply.always > 0) {
    ASSIGN_OR_RETURN(const std::string rule,
                     ProposedRule(*approval, reply.always));
    return AlwaysResponse(approval->id, rule);
  }
  return ApprovalResponse(approval->id, reply.choice, reply.reason);
}

bool Waits(const TaskState& state) {
  return !Oldest(state.approvals).empty() || !Oldest(state.questions).empty();
}

absl::Status CheckWaits(const TaskState& state, const std::string& id) {
  if (!Waits(state)) {
    return absl::FailedPreconditionError(
        absl::StrCat("task ", state.task, " asks nothing"));
  }
  if (id.empty() || state.approvals.contains(id) ||
      state.questions.contains(id)) {
    return absl::OkStatus();
  }
  const bool both = !state.approvals.empty() && !state.questions.empty();
  return absl::FailedPreconditionError(absl::StrCat(
      "nothing with the id ", id, " waits, there are: ",
      JoinIds(state.approvals), both ? ", " : "", JoinIds(state.questions)));
}

}  // namespace troika::cli
