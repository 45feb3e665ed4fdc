#include "cli/feed/task_fold.h"

#include "base/status_macros.h"
#include "dto/json.h"
#include "dto/task.h"
#include "task/reduce.h"

namespace troika::cli {

TaskFold::TaskFold(const v1::Task& task, From from,
                   std::optional<absl::Time> turn_started)
    : start_(IdentityOf(task)),
      state_(from == From::kTask ? ToTaskState(task) : start_) {
  if (turn_started) state_.turn_started = turn_started;
}

absl::StatusOr<Message> TaskFold::Take(absl::string_view json) {
  ASSIGN_OR_RETURN(const json::Value event, parser_.Parse(json));
  ASSIGN_OR_RETURN(Message message, ReadEvent(event));
  was_cut_ = event.Get("cut").size() > 0;
  Reduce(message, &state_);
  return message;
}

void TaskFold::Restart() { state_ = start_; }

}  // namespace troika::cli
