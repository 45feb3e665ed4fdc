#include "task/answer.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace troika {
namespace {

absl::Status CheckInput(absl::string_view input_json) {
  if (input_json.empty()) return absl::OkStatus();
  json::Parser parser;
  const absl::StatusOr<json::Value> input = parser.Parse(input_json);
  if (input.ok() && input->IsObject()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the input of an approval is no JSON object: give the tool's whole "
      "input, or leave it out");
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

absl::Status Answered(absl::string_view id) {
  return absl::FailedPreconditionError(
      absl::StrCat(id, " was answered already: nothing is left to do"));
}

absl::Status NothingWaits(const TaskState& state, absl::string_view id) {
  if (!state.process_alive) {
    return absl::FailedPreconditionError(
        absl::StrCat("answer ", id, ": task ", state.task,
                     " is not running, so nothing waits for an answer; give "
                     "it another turn"));
  }
  return absl::NotFoundError(absl::StrCat(
      "nothing of the id ", id, " waits for an answer in task ", state.task,
      ": it was answered or withdrawn; see what the task waits for now"));
}

}  // namespace

absl::Status CheckAnswer(const TaskState& state, const AnswerGiven& given) {
  const auto* const approval = std::get_if<ApprovalAnswer>(&given.answer);
  const auto* const question = std::get_if<QuestionAnswer>(&given.answer);
  if (const auto it = state.approvals.find(given.id);
      it != state.approvals.end()) {
    if (it->second.answered) return Answered(given.id);
    if (approval != nullptr) return CheckInput(approval->input_json);
    return absl::InvalidArgumentError(
        absl::StrCat(given.id, " is an approval: say whether it is allowed"));
  }
  if (const auto it = state.questions.find(given.id);
      it != state.questions.end()) {
    if (it->second.answered) return Answered(given.id);
    if (question != nullptr) return CheckItems(it->second.request, *question);
    return absl::InvalidArgumentError(
        absl::StrCat(given.id, " is a question: answer its items"));
  }
  return NothingWaits(state, given.id);
}

}  // namespace troika
