#include "cli/approvals/respond.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/approvals/asker.h"

namespace troika::cli {
namespace {

// The one of `pending` that is meant.
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
                     " waits: `troika show ", task.id(), "` says what does"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      id.empty() ? absl::StrCat("several ", what, "s wait, give the id of one")
                 : absl::StrCat("no ", what, " ", id, " waits, there are"),
      ": ", absl::StrJoin(ids, ", ")));
}

absl::Status SetAnswers(const v1::Question& question, const Reply& reply,
                        v1::RespondRequest* request) {
  const auto given = static_cast<int>(reply.answers.size());
  if (given != question.items_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(question.items_size(), " answers are asked for, and ",
                     given, " were given: --answer once for each"));
  }
  for (int i = 0; i < given; ++i) {
    const v1::Question::Item& item = question.items(i);
    ASSIGN_OR_RETURN(
        const std::vector<std::string> answers,
        ReadChoice({.options = {item.options().begin(), item.options().end()},
                    .multi_select = item.multi_select()},
                   json::ToValidUtf8(reply.answers[i])));
    auto& out = *request->mutable_question()->add_items();
    for (const std::string& answer : answers) out.add_answers(answer);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::RespondRequest> MakeResponse(const v1::Task& task,
                                                const Reply& reply) {
  v1::RespondRequest request;
  if (reply.kind == Reply::Kind::kAnswer) {
    ASSIGN_OR_RETURN(const v1::Question* const question,
                     Pick(task.questions(), "question", task, reply.id));
    request.set_id(question->id());
    RETURN_IF_ERROR(SetAnswers(*question, reply, &request));
    return request;
  }
  ASSIGN_OR_RETURN(const v1::Approval* const approval,
                   Pick(task.approvals(), "approval", task, reply.id));
  request.set_id(approval->id());
  request.mutable_approval()->set_allow(reply.kind == Reply::Kind::kAllow);
  request.mutable_approval()->set_reason(json::ToValidUtf8(reply.reason));
  return request;
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
