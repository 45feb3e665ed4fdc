// The agent and all processes that it started, as the relay sees them: through
// the guard, or by itself once the guard is dead.
#ifndef TROIKA_RELAY_GUARDED_AGENT_H_
#define TROIKA_RELAY_GUARDED_AGENT_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/guard.h"
#include "relay/note_text.h"
#include "relay/relay_log.h"
#include "relay/spec.h"

namespace troika::relay {

class GuardedAgent {
 public:
  // The relay's ends of the agent's stdio. `in` is unset if it has no stdin.
  struct Stdio {
    UniqueFd in;
    UniqueFd out;
    UniqueFd err;
  };

  // The log and the clock are borrowed.
  GuardedAgent(GuardProcess guard, RelayLog* log, Clock* clock)
      : log_(log),
        clock_(clock),
        guard_pid_(guard.pid),
        guard_(std::move(guard.socket)) {}

  // Gives the guard what it needs to start the agent, which it does then.
  // `spec_fd` is the file of the spec.
  absl::StatusOr<Stdio> Start(StdinMode stdin_mode, int spec_fd);
  // Waits until the guard has started the agent, or could not, or `patience` is
  // over. ReadReports() tells which.
  void AwaitStart(absl::Duration patience) const;

  // These ask the guard. One that does not take a Stop() or Kill() in time is
  // killed, and with it the agent.
  void Signal(int signal);
  void Stop(absl::Duration grace);
  void Kill();

  // The guard's socket, which is readable if there is a report.
  int fd() const { return guard_.get(); }
  // Records the guard's reports, or its death.
  void ReadReports();
  // Kills the guard if it is overdue, and all processes that are left if it is
  // dead. Returns when to call again.
  absl::Time KillOverdue(absl::Time now);

  // Whether the agent has ended, or could not be started.
  bool ended() const { return exited_ || start_failed_; }
  bool start_failed() const { return start_failed_; }
  // Why the agent was ended if its guard is dead, else empty.
  absl::string_view guard_death() const;
  // Whether no process is left.
  bool gone() const { return gone_; }
  // Adds how the agent ended to an `exited` note: its status, `reason`, and the
  // resources that it used.
  void DescribeExit(absl::string_view reason, NoteText* note) const;

 private:
  void Send(const GuardCommand& command);
  // Does the same, and expects that the guard takes it soon.
  void SendEnding(const GuardCommand& command);
  void OnReport(const GuardReport& report);
  absl::Time KillOrphans(absl::Time now);

  RelayLog* const log_;
  Clock* const clock_;
  const pid_t guard_pid_;
  UniqueFd guard_;
  // When a guard that has taken no command is killed.
  absl::Time guard_due_ = absl::InfiniteFuture();
  absl::Time checked_ = absl::InfinitePast();  // The last KillOverdue().
  bool guard_overdue_ = false;
  pid_t agent_pid_ = 0;
  std::optional<GuardReport> exited_;
  bool start_failed_ = false;
  bool gone_ = false;
  // Set if the guard died: when to leave alone what can't be killed.
  std::optional<absl::Time> give_up_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_GUARDED_AGENT_H_
