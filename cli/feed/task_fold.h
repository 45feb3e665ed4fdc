// Computes the state of a task from the events that the server streams.
#ifndef TROIKA_CLI_FEED_TASK_FOLD_H_
#define TROIKA_CLI_FEED_TASK_FOLD_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "base/json.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

class TaskFold {
 public:
  enum class From {
    kStart,  // All events will come.
    kTask,   // Only events after the last one of `task` will come.
  };

  // `turn_started` is when the turn that may run has begun, if that is known.
  TaskFold(const v1::Task& task, From from,
           std::optional<absl::Time> turn_started = std::nullopt);

  // Adds an event and returns it. InvalidArgument if `json` is not an event.
  absl::StatusOr<Message> Take(absl::string_view json);
  // Starts again, because all events come again.
  void Restart();

  const TaskState& state() const { return state_; }
  // Whether a text of the last event was cut.
  bool was_cut() const { return was_cut_; }

 private:
  TaskState start_;  // The state before any event.
  TaskState state_;
  json::Parser parser_;
  bool was_cut_ = false;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_FEED_TASK_FOLD_H_
