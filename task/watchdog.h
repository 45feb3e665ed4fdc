// The deadlines of a task: which one comes next, and which have passed.
#ifndef TROIKA_TASK_WATCHDOG_H_
#define TROIKA_TASK_WATCHDOG_H_

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

// Those of `given`, and for what it leaves out: two minutes until the agent's
// first words, an hour without a word, six hours for a turn, and a day of
// working time for all turns of the task.
notes::Timeouts WithDefaults(const notes::Timeouts& given);

struct Alarm {
  enum class Kind {
    kStart,      // The agent has not said a word.
    kIdle,       // It has not said a word for long.
    kTurn,       // The turn takes too long.
    kTask,       // The turns of the task do together.
    kCloseIdle,  // The process waits for input that does not come.
  };
  Kind kind = Kind::kStart;
  // By the relay's clock, as AwakeTimes.
  absl::Time at = absl::InfiniteFuture();
  absl::Duration timeout;
};

// The spelling in notes; kCloseIdle has none.
absl::string_view DeadlineName(Alarm::Kind kind);

// The alarm that comes first. It may lie in the past, and is at InfiniteFuture
// if no process lives or somebody has asked for its end.
Alarm NextAlarm(const TaskState& state);

// How long the task may still be worked on, by its state and its timeouts, as
// far as they are not replaced by `given`. Zero: its time is used up.
absl::Duration WorkLeft(const TaskState& state,
                        const notes::Timeouts& given = {});

}  // namespace troika

#endif  // TROIKA_TASK_WATCHDOG_H_
