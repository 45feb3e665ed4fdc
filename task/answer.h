// Checks the answer to an approval or a question.
#ifndef TROIKA_TASK_ANSWER_H_
#define TROIKA_TASK_ANSWER_H_

#include "absl/status/status.h"
#include "agent/protocol.h"
#include "task/state.h"

namespace troika {

// Whether something of that id waits, and for such an answer. NotFound and
// FailedPrecondition where nothing does, InvalidArgument where the answer does
// not fit; they say what to do.
absl::Status CheckAnswer(const TaskState& state, const AnswerGiven& given);

}  // namespace troika

#endif  // TROIKA_TASK_ANSWER_H_
