// The relay: owns one agent process, and records its input and output before
// anyone else sees them.
#ifndef TROIKA_RELAY_RELAY_H_
#define TROIKA_RELAY_RELAY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/agent_output.h"
#include "relay/command_handler.h"
#include "relay/connections.h"
#include "relay/guarded_agent.h"
#include "relay/lease.h"
#include "relay/log_writer.h"
#include "relay/relay_log.h"
#include "relay/spec.h"
#include "relay/stdin_queue.h"

namespace troika::relay {

class Relay {
 public:
  // `dir_fd` and `clock` are borrowed.
  Relay(RelaySpec spec, LogWriter log, int dir_fd, GuardProcess guard,
        Clock* clock);

  // Records that the agent is about to run, starts it, and listens. `spec_fd`
  // is the file of the spec; `driver` may be the connection of our starter,
  // which is then served for some milliseconds before others can connect.
  absl::Status Start(int spec_fd, UniqueFd driver);
  // Serves until the agent and all processes that it started are gone.
  void Run();

 private:
  // Whether output is still to be written once the disk has room. The agent may
  // be gone.
  bool WaitsForDisk() const { return log_.waits() && reason_.empty(); }
  void Poll();
  // Serves until `end`, or until the agent is gone.
  void PollUntil(absl::Time end);
  // Around each wait: the driver may write the log meanwhile, if it has a
  // lease. The first returns who reads stdout.
  AgentOutput::Stdout ReleaseLog(absl::Time now);
  void AcquireLog();
  // Returns the descriptors of a lease for the driver, or none.
  std::vector<int> Lend();
  absl::Time NextDue(absl::Time now) const;
  // Kills the agent if the log has reached its cap.
  void CheckCap();
  // Notes that recorded bytes did not reach the agent.
  Reply OnCommand(const Command& command);
  void OnStdinLost(size_t lost);
  // Records in the log that the machine slept, or that its time was set.
  void FollowRealTime();
  void OnTick(absl::Time now);
  // Closes stdin if the driver has been gone and the agent silent for long.
  void CloseUndriven(absl::Time now);
  void StopFor(absl::string_view reason);
  void Finish();

  const RelaySpec spec_;
  const int dir_fd_;
  Clock* const clock_;
  Connections clients_;
  RelayLog log_;
  GuardedAgent agent_;
  AgentOutput output_;
  StdinQueue stdin_;
  CommandHandler commands_;
  std::optional<Lease> lease_;
  int64_t lent_to_ = 0;  // Number of the driver that has it.
  UniqueFd signals_;
  std::string reason_;  // Why we ended the agent; empty if we did not.
  absl::Time next_tick_;
  absl::Time next_kill_ = absl::InfiniteFuture();
  absl::Time start_yield_end_ = absl::InfiniteFuture();  // End of PollUntil().
  // Last time that a driver was connected.
  std::optional<absl::Time> last_driven_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_RELAY_H_
