// The approvals and questions of a task's state that wait for an answer.
#ifndef TROIKA_TASK_PENDING_H_
#define TROIKA_TASK_PENDING_H_

#include "agent/message.h"
#include "task/state.h"

namespace troika {

// Counts a request in that `message` brought: asked, accepted or settled.
void TakeRequest(const Message& message, const Approval& approval,
                 TaskState* state);
void TakeRequest(const Message& message, const Question& question,
                 TaskState* state);

// Forgets all requests of the agent, because its process ended. What Troika
// asks (Approval::Kind::kBudget) stays here and below.
void DropPending(TaskState* state);
// Forgets the requests of the turn that ended. Subagents in the background
// still wait for the answers to theirs.
void DropPendingOfTurn(TaskState* state);

}  // namespace troika

#endif  // TROIKA_TASK_PENDING_H_
