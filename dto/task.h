// A task as the API shows it.
#ifndef TROIKA_DTO_TASK_H_
#define TROIKA_DTO_TASK_H_

#include <optional>
#include <string>

#include "agent/launch/launch.h"
#include "dto/troika.pb.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

// Facts about a task that are not in its state.
struct TaskFacts {
  std::string last_event_id;
  std::string trouble;  // Current problem with its log.
  std::optional<int> queue_position;
  // Has the prompt, and the edit mode and the model unless they are set below.
  // May be null.
  const notes::Request* request = nullptr;
  std::optional<EditMode> edit_mode;
  std::string asked_model;
  std::string parent_id;
};

// Bytes that are not UTF-8 become U+FFFD: protobuf drops such strings.
v1::Task ToTask(const TaskState& state, const TaskFacts& facts);

// The state of a task before its first event, as far as it is known.
TaskState IdentityOf(const v1::Task& task);
// As much of a task's state as later events, and the code that shows them,
// need.
TaskState ToTaskState(const v1::Task& task);

}  // namespace troika

#endif  // TROIKA_DTO_TASK_H_
