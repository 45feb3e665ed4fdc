// Checks answers to approvals and questions, and says what became of them.
#ifndef TROIKA_TASK_ANSWER_H_
#define TROIKA_TASK_ANSWER_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "agent/protocol.h"
#include "task/state.h"

namespace troika {

// Type URL of the payload of an error that says that somebody else's answer was
// first: a JSON object with the members of Settled.
inline constexpr absl::string_view kAnsweredPayload = "troika/answered";

// Approval::by of an answer that rules gave.
inline constexpr absl::string_view kByRule = "rule";

// Whether something of that id waits, and for such an answer. NotFound and
// FailedPrecondition if nothing does, and what became of it if the log knows;
// InvalidArgument if the answer does not fit, with what would. If it has an
// answer, the error has the payload kAnsweredPayload.
absl::Status CheckAnswer(const TaskState& state, const AnswerGiven& given);

// Whether the log has this answer, once all commands are in it. Another answer
// may have been first, or the agent may have ended before.
absl::Status CheckTaken(const TaskState& state, const AnswerGiven& given);

// The error for everybody but the one whose answer was first.
absl::Status AnsweredError(const Settled& winner);

// Returns what became of an approval or a question. Both are decided.
Settled SettledOf(const Approval& approval);
Settled SettledOf(const Question& question);
Settled SettledOf(const AnswerGiven& given);

// Returns the request with an answer that the log has accepted. An answer that
// does not fit denies an approval, and leaves a question without answers.
Approval Accepted(Approval asked, const AnswerGiven& given);
Question Accepted(Question asked, const AnswerGiven& given);

// Returns kDeny, or kCancel if the approval offers no other denial.
absl::string_view DenialChoice(const Approval& asked);

// Returns the denial that stands for an answer that never came.
AnswerGiven TimedOut(const Approval& asked, absl::Duration timeout);

// Returns the prompt that tells the agent why `asked` was denied. `denied` is
// the same approval with its answer.
std::string DenialPrompt(const Approval& asked, const Approval& denied);

// Returns "Bash `make`": what the approval is about, in a few words.
std::string ShortText(const Approval& approval);

// Returns the reason that the agent is to be told next, by a prompt, or null if
// there is none, or it can't take the prompt now.
const OwedReason* /*nullable*/ NextReason(const TaskState& state,
                                          const Capabilities& can);

}  // namespace troika

#endif  // TROIKA_TASK_ANSWER_H_
