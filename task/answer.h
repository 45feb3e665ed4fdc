// What somebody answers to an approval or a question, and its spelling in the
// note `answer`:
//
//   {"allow":true,"input":{"command":"ls"}}    an approval
//   {"allow":false,"reason":"not now"}
//   {"answers":[["Red"],["A","B"]]}            a question, an item each
#ifndef TROIKA_TASK_ANSWER_H_
#define TROIKA_TASK_ANSWER_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/protocol.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

struct ApprovalAnswer {
  bool allow = false;
  std::string reason;      // Told to the agent.
  std::string input_json;  // Do this instead; empty: as asked.
};

struct QuestionAnswer {
  std::vector<std::vector<std::string>> answers;  // To each item.
};

struct AnswerRequest {
  std::string id;  // Of the Approval or the Question.
  std::string by = "user";
  std::variant<ApprovalAnswer, QuestionAnswer> answer;
};

// Whether something of that id waits, and for such an answer. NotFound and
// FailedPrecondition where nothing does, InvalidArgument where the answer does
// not fit; they say what to do.
absl::Status CheckAnswer(const TaskState& state, const AnswerRequest& request);

notes::Answer AnswerNote(const AnswerRequest& request);
// InvalidArgument where the note holds no answer: nothing is guessed.
absl::StatusOr<AnswerGiven> AnswerOf(const notes::Answer& note);

}  // namespace troika

#endif  // TROIKA_TASK_ANSWER_H_
