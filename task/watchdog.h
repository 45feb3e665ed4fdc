// The deadlines of a task: which one comes next, and which have passed.
#ifndef TROIKA_TASK_WATCHDOG_H_
#define TROIKA_TASK_WATCHDOG_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

// Those of `given`, and for what it leaves out: two minutes until the agent's
// first words, an hour without a word, six hours for a turn, a day in all.
notes::Timeouts WithDefaults(const notes::Timeouts& given);

struct Alarm {
  enum class Kind {
    kStart,      // The agent has not said a word.
    kIdle,       // It has not said a word for long.
    kTurn,       // The turn takes too long.
    kTask,       // The task does.
    kCloseIdle,  // The process waits for input that does not come.
  };
  Kind kind = Kind::kStart;
  int64_t at_micros = 0;
  int64_t after_ms = 0;
};

// The spelling in notes; kCloseIdle has none.
absl::string_view DeadlineName(Alarm::Kind kind);

class Watchdog {
 public:
  Watchdog() = default;
  explicit Watchdog(const notes::Timeouts& timeouts)
      : timeouts_(WithDefaults(timeouts)) {}

  // The first that comes, where a process lives and nobody has asked for its
  // end. It may lie in the past.
  std::optional<Alarm> Next(const TaskState& state) const;

 private:
  notes::Timeouts timeouts_;
};

}  // namespace troika

#endif  // TROIKA_TASK_WATCHDOG_H_
