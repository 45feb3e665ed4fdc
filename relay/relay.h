// The relay: owns one agent process, and records its input and output before
// anyone else sees them.
#ifndef TROIKA_RELAY_RELAY_H_
#define TROIKA_RELAY_RELAY_H_

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/connections.h"
#include "relay/disk_watch.h"
#include "relay/guard_wire.h"
#include "relay/line_recorder.h"
#include "relay/log_writer.h"
#include "relay/read_pacer.h"
#include "relay/spec.h"
#include "relay/stdin_queue.h"
#include "relay/syncer.h"

namespace troika::relay {

class Relay : public Connections::Handler {
 public:
  // `dir_fd` and `clock` are borrowed.
  Relay(RelaySpec spec, LogWriter log, int dir_fd, Clock* clock);
  ~Relay() override;

  // Records that the agent is about to run, starts it, and listens.
  absl::Status Start();
  // Serves until the agent and all processes that it started are gone.
  void Run();

 private:
  // The agent's stdout or stderr.
  struct Output {
    UniqueFd fd;
    LineRecorder lines;
    ReadPacer pacer = {};
  };

  Connections::Answer OnCommand(const Command& command) override;
  Tip tip() const override;
  absl::Time Awake() const override { return clock_->Awake(); }

  absl::Status ForkGuard();
  Connections::Answer Record(const Command& command);
  void AppendWrite(const Command& command);
  void AppendNote(absl::string_view text, absl::string_view key = "");
  void SendToGuard(const GuardCommand& command);

  // Whether output is still to be written once the disk has room. The agent may
  // be gone.
  bool WaitsForDisk() const;
  void Poll();
  absl::Time NextDue(absl::Time now) const;
  void Read(Output& output);
  void ReadAll(Output& output);
  // Notes that recorded bytes did not reach the agent.
  void OnStdinLost(size_t lost);
  void ReadGuard();
  void OnReport(const GuardReport& report);
  void OnGuardDied();
  void KillAll();
  // Records in the log that the machine slept, or that its time was set.
  void FollowRealTime();
  void OnTick(absl::Time now);
  // Closes stdin if the driver has been gone and the agent silent for long.
  void CloseUndriven(absl::Time now);
  // Writes the appended records and announces them.
  void Commit();
  void StopFor(absl::string_view reason);
  void Finish();
  std::string ExitedNote();

  const RelaySpec spec_;
  LogWriter log_;
  const int dir_fd_;
  Clock* const clock_;
  DiskWatch disk_;
  std::unique_ptr<Connections> connections_;
  std::unique_ptr<Syncer> syncer_;
  Output out_;
  Output err_;
  StdinQueue stdin_{UniqueFd()};
  UniqueFd guard_;
  UniqueFd signals_;
  pid_t guard_pid_ = 0;
  pid_t agent_pid_ = 0;
  // Record of each command's key.
  std::map<std::string, int64_t, std::less<>> keys_;
  std::vector<char> buffer_;
  std::string err_tail_;
  std::string reason_;     // Why we ended the agent; empty if we did not.
  int64_t discarded_ = 0;  // Bytes of output that no record holds.
  std::optional<GuardReport> exited_;
  bool start_failed_ = false;
  bool gone_ = false;     // No process is left.
  bool killing_ = false;  // The guard died, and we do its work.
  bool capped_ = false;   // The log is full for good, so output is discarded.
  bool dirty_ = false;    // Some written bytes are not synced.
  bool note_unsynced_ = false;
  absl::Time next_tick_;
  // If killing_: when to give up on the processes that are left.
  absl::Time give_up_;
  // Last time that a driver was connected or the agent wrote something.
  std::optional<absl::Time> last_active_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_RELAY_H_
