// A task as the API shows it.
#ifndef TROIKA_DTO_TASK_H_
#define TROIKA_DTO_TASK_H_

#include <string>

#include "dto/redact.h"
#include "dto/troika.pb.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

// Facts about a task that are not in its state.
struct TaskFacts {
  std::string last_event_id;
  std::string trouble;  // Current problem with its log.
  // Has the prompt, and the harness, the edit mode and the model if the state
  // does not have them. May be null.
  const notes::Request* request = nullptr;
  // Takes secrets out of long texts before they are cut. May be null.
  const Redactor* redactor = nullptr;
};

// Bytes that are not UTF-8 become U+FFFD: protobuf drops such strings. A prompt
// is cut after 64 KiB, and a text of an approval or a question after 32 KiB,
// or earlier if many of them wait: their events have them whole.
v1::Task ToTask(const TaskState& state, const TaskFacts& facts);

// The state of a task before its first event, as far as it is known.
TaskState IdentityOf(const v1::Task& task);
// As much of a task's state as later events, and the code that shows them,
// need.
TaskState ToTaskState(const v1::Task& task);

}  // namespace troika

#endif  // TROIKA_DTO_TASK_H_
