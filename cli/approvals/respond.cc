#include "cli/approvals/respond.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace troika::cli {
namespace {

// Returns the one with this id, or the only one if `id` is empty.
template <typename Pending>
absl::StatusOr<const typename Pending::value_type*> Pick(
    const Pending& pending, absl::string_view what, const v1::Task& task,
    const std::string& id) {
  std::vector<std::string> ids;
  for (const auto& one : pending) {
    if (one.id() == id) return &one;
    ids.push_back(one.id());
  }
  if (id.empty() && ids.size() == 1) return &pending.Get(0);
  if (ids.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no ", what, " of task ", task.id(),
                     " waits: `troika show ", task.id(), "` shows what does"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      id.empty() ? absl::StrCat("several ", what, "s wait, give the id of one")
                 : absl::StrCat("no ", what, " ", id, " waits, there are"),
      ": ", absl::StrJoin(ids, ", ")));
}

absl::StatusOr<v1::RespondRequest> ReadAnswers(
    const v1::Question& question, const std::vector<std::string>& given) {
  const auto wanted = static_cast<size_t>(question.items_size());
  if (given.size() != wanted) {
    return absl::InvalidArgumentError(absl::StrCat(
        wanted, wanted == 1 ? " answer is" : " answers are", " needed, and ",
        given.size(), given.size() == 1 ? " was" : " were",
        " given: use --answer once for each"));
  }
  std::vector<std::vector<std::string>> answers;
  for (size_t i = 0; i < wanted; ++i) {
    const v1::Question::Item& item = question.items(static_cast<int>(i));
    ASSIGN_OR_RETURN(
        answers.emplace_back(),
        ReadChoice({.options = {item.options().begin(), item.options().end()},
                    .multi_select = item.multi_select()},
                   given[i]));
  }
  return QuestionResponse(question.id(), answers);
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

v1::RespondRequest ApprovalResponse(const std::string& id, bool allow,
                                    absl::string_view reason) {
  v1::RespondRequest request;
  request.set_id(id);
  request.mutable_approval()->set_allow(allow);
  request.mutable_approval()->set_reason(json::ToValidUtf8(reason));
  return request;
}

v1::RespondRequest QuestionResponse(
    const std::string& id,
    const std::vector<std::vector<std::string>>& answers) {
  v1::RespondRequest request;
  request.set_id(id);
  for (const std::vector<std::string>& item : answers) {
    auto& out = *request.mutable_question()->add_items();
    for (const std::string& answer : item) {
      out.add_answers(json::ToValidUtf8(answer));
    }
  }
  return request;
}

absl::StatusOr<v1::RespondRequest> MakeResponse(const v1::Task& task,
                                                const Reply& reply) {
  if (reply.kind == Reply::Kind::kAnswer) {
    ASSIGN_OR_RETURN(const v1::Question* const question,
                     Pick(task.questions(), "question", task, reply.id));
    return ReadAnswers(*question, reply.answers);
  }
  ASSIGN_OR_RETURN(const v1::Approval* const approval,
                   Pick(task.approvals(), "approval", task, reply.id));
  return ApprovalResponse(approval->id(), reply.kind == Reply::Kind::kAllow,
                          reply.reason);
}

absl::Status CheckWaits(const v1::Task& task, const std::string& id) {
  std::vector<std::string> ids;
  for (const v1::Approval& one : task.approvals()) ids.push_back(one.id());
  for (const v1::Question& one : task.questions()) ids.push_back(one.id());
  if (ids.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("task ", task.id(), " asks nothing"));
  }
  if (id.empty() || std::count(ids.begin(), ids.end(), id) > 0) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("nothing with the id ", id,
                   " waits, there are: ", absl::StrJoin(ids, ", ")));
}

}  // namespace troika::cli
