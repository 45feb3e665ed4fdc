// The deadlines of a task.
#ifndef TROIKA_TASK_WATCHDOG_H_
#define TROIKA_TASK_WATCHDOG_H_

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "task/notes.h"
#include "task/state.h"

namespace troika {

// Tells when a relay's clock will show a time, by our own clock.
//
// A relay stamps its records by its clock (Clock::Awake of its process, and
// what it noted of leaps). Both clocks run equally fast, but from different
// starts, because each process looked at the real time when it started. So
// deadlines that begin at a record must not be compared with our clock as they
// are.
class RelayClock {
 public:
  // The relay's clock showed `theirs` when ours showed `ours`, or before. The
  // later it was seen, the later deadlines fall, but never too early.
  void Saw(absl::Time theirs, absl::Time ours) {
    const absl::Duration ahead = theirs - ours;
    ahead_ = ahead_ ? std::max(*ahead_, ahead) : ahead;
  }
  // Another relay's clock is another one.
  void Forget() { ahead_.reset(); }

  // The time of our clock when the relay's clock shows `theirs`, or nothing if
  // we know nothing of the relay's clock.
  std::optional<absl::Time> ToOurs(absl::Time theirs) const {
    if (!ahead_) return std::nullopt;
    return theirs - *ahead_;
  }

 private:
  // How far theirs is ahead of ours, at least.
  std::optional<absl::Duration> ahead_;
};

// Completes timeouts. The defaults are two minutes until the agent's first
// words, an hour without a word, six hours for a turn, and a day of working
// time for all turns of the task. Approvals and tools have none.
notes::Timeouts WithDefaults(const notes::Timeouts& given);

struct Alarm {
  enum class Kind {
    kStart,      // The agent has not said a word.
    kIdle,       // It has not said a word for long.
    kTurn,       // The turn takes too long.
    kTask,       // The turns of the task do together.
    kReply,      // It has not answered a request that it must answer.
    kCloseIdle,  // The process waits for input that does not come.
    kApproval,   // Nobody answers an approval, whose id is `approval`.
    kTool,       // The tool that is called `tool` runs too long.
    kBudget,     // Most or all of the budget of working time is used.
  };
  Kind kind = Kind::kStart;
  // By the relay's clock, as AwakeTimes.
  absl::Time at = absl::InfiniteFuture();
  absl::Duration timeout;
  std::string approval;
  std::string tool;
};

// The spelling in notes; kCloseIdle, kApproval and kBudget have none. A missed
// reply names the request that `state` waits for: "initialize reply".
std::string DeadlineName(Alarm::Kind kind, const TaskState& state);

// The alarm that comes first. It may lie in the past, and is at InfiniteFuture
// if no process lives or somebody has asked for its end.
Alarm NextAlarm(const TaskState& state);

// How long the task may still be worked on, by its state and its timeouts, as
// far as they are not replaced by `given`. Zero: its time is used up.
absl::Duration WorkLeft(const TaskState& state,
                        const notes::Timeouts& given = {});

// Decides when the process of a task has missed a deadline. Times are those of
// Clock::Awake().
class Watchdog {
 public:
  // To be called while a relay is connected; returns the alarm that is due. One
  // that passed while nobody called us, as the machine or all of Troika stood
  // still, is due after a while, in which the agent may say something.
  std::optional<Alarm> Check(const TaskState& state, const RelayClock& relay,
                             absl::Time now);
  // To be called instead of Check() if somebody else drives the process.
  void Skip(absl::Time now);
  // When to call Check() again. An alarm that it returned does not count: the
  // process is about to end.
  absl::Time wake_at(const TaskState& state, const RelayClock& relay) const;

  // The agent was told to end its turn.
  void ExpectTurnEnd(absl::Time deadline) { turn_end_ = deadline; }
  void ForgetTurnEnd() { turn_end_.reset(); }
  bool expects_turn_end() const { return turn_end_.has_value(); }
  // Whether it has not done so in time; true once.
  bool TurnEndIsOverdue(const TaskState& state, absl::Time now);

 private:
  std::optional<absl::Time> checked_;  // The last time.
  std::optional<absl::Time> turn_end_;
  std::optional<absl::Time> overslept_until_;
};

}  // namespace troika

#endif  // TROIKA_TASK_WATCHDOG_H_
