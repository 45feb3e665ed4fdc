#include "task/answer.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/status_macros.h"

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

absl::Status CheckAnswer(const TaskState& state, const AnswerRequest& request) {
  const auto* const approval = std::get_if<ApprovalAnswer>(&request.answer);
  const auto* const question = std::get_if<QuestionAnswer>(&request.answer);
  if (const auto it = state.approvals.find(request.id);
      it != state.approvals.end()) {
    if (it->second.answered) return Answered(request.id);
    if (approval != nullptr) return CheckInput(approval->input_json);
    return absl::InvalidArgumentError(
        absl::StrCat(request.id, " is an approval: say whether it is allowed"));
  }
  if (const auto it = state.questions.find(request.id);
      it != state.questions.end()) {
    if (it->second.answered) return Answered(request.id);
    if (question != nullptr) return CheckItems(it->second.request, *question);
    return absl::InvalidArgumentError(
        absl::StrCat(request.id, " is a question: answer its items"));
  }
  return NothingWaits(state, request.id);
}

notes::Answer AnswerNote(const AnswerRequest& request) {
  json::ObjectWriter out;
  if (const auto* approval = std::get_if<ApprovalAnswer>(&request.answer)) {
    out.Json("allow", approval->allow ? "true" : "false");
    if (!approval->reason.empty()) out.String("reason", approval->reason);
    if (!approval->input_json.empty()) out.Json("input", approval->input_json);
  } else {
    std::string items;
    for (const auto& answers :
         std::get<QuestionAnswer>(request.answer).answers) {
      absl::StrAppend(&items, items.empty() ? "[" : ",[");
      for (size_t i = 0; i < answers.size(); ++i) {
        if (i > 0) items += ',';
        json::AppendQuoted(answers[i], &items);
      }
      items += ']';
    }
    out.Json("answers", absl::StrCat("[", items, "]"));
  }
  return {.id = request.id, .by = request.by, .answer_json = out.Take()};
}

absl::StatusOr<AnswerGiven> AnswerOf(const notes::Answer& note) {
  json::Parser parser;
  ASSIGN_OR_RETURN(const json::Value answer, parser.Parse(note.answer_json));
  AnswerGiven given = {.id = note.id};
  if (answer.Get("answers").IsArray()) {
    for (const json::Value item : answer.Get("answers").items()) {
      std::vector<std::string>& answers = given.answers.emplace_back();
      for (const json::Value one : item.items()) {
        answers.emplace_back(one.StringOr(""));
      }
    }
    return given;
  }
  const std::optional<bool> allow = answer.Get("allow").Bool();
  if (!allow) {
    return absl::InvalidArgumentError(
        absl::StrCat("the answer to ", note.id, " says nothing that is known"));
  }
  given.allow = *allow;
  given.reason = std::string(answer.Get("reason").StringOr(""));
  const json::Value input = answer.Get("input");
  if (input.IsObject()) given.input_json = input.ToJson();
  return given;
}

}  // namespace troika
