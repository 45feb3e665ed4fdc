// The deadlines of a task: which one comes next, and which have passed.
#ifndef TROIKA_TASK_WATCHDOG_H_
#define TROIKA_TASK_WATCHDOG_H_

#include <cstdint>
#include <optional>

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
  absl::Time at;  // By the relay's clock, as AwakeTimes.
  int64_t after_ms = 0;
};

// The spelling in notes; kCloseIdle has none.
absl::string_view DeadlineName(Alarm::Kind kind);

// The first that comes, where a process lives and nobody has asked for its end.
// It may lie in the past.
std::optional<Alarm> NextAlarm(const TaskState& state);

// How long the task may still be worked on, by its state and its timeouts, as
// far as they are not replaced by `given`. Zero: its time is used up.
absl::Duration WorkLeft(const TaskState& state,
                        const notes::Timeouts& given = {});

}  // namespace troika

#endif  // TROIKA_TASK_WATCHDOG_H_
