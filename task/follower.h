// Follows a task through its log: what is there, what comes, and how it ends.
//
// Passive: its owner polls what PollFd() says, or waits until wake_at(), and
// calls Advance(). Records come from the file; the relay only says when there
// are more of them. If the relay is gone and left no word of the end, the
// follower takes the log's lock and says so in the log, for everybody.
#ifndef TROIKA_TASK_FOLLOWER_H_
#define TROIKA_TASK_FOLLOWER_H_

#include <poll.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/protocol.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/client.h"
#include "relay/frame.h"
#include "relay/leased_output.h"
#include "relay/log_reader.h"
#include "relay/log_writer.h"
#include "task/home.h"
#include "task/later.h"
#include "task/replay.h"
#include "task/watchdog.h"

namespace troika {

class Follower {
 public:
  struct Options {
    Clock* clock = nullptr;  // Borrowed.
    // Called after each record, when it is counted in.
    absl::AnyInvocable<void()> on_record;
    // One Advance() reads about this many bytes at most, so that a long log
    // does not hold up the owner's loop.
    int64_t max_read = std::numeric_limits<int64_t>::max();
    // For what blocks; Advance() is to be called when that is done. Borrowed.
    BlockingExecutor* /*nullable*/ executor = nullptr;
  };

  // Reads nothing yet. `folder` is borrowed. NotFound if it has no log.
  static absl::StatusOr<Follower> Open(const TaskFolder* folder,
                                       Options options);

  // Reads what has come, connects if a process lives, and finds out if one is
  // gone. Errors are of the log and final: it was cut or removed, or it
  // is of a newer version.
  absl::Status Advance(MessageSink sink);

  // All that was there at the first Advance() has been read.
  bool caught_up() const { return caught_up_; }
  // The last Advance() left some of what was there: the state is old, and
  // nothing was judged by it, nor should be. Not so of an agent that writes as
  // fast as we read: what it wrote up to a moment ago has been read.
  bool behind() const { return behind_until_ != 0; }

  // Nothing more comes by itself: no process lives, and no turn waits for one.
  // Damage at the log's end has been reported.
  bool at_rest() const { return at_rest_; }

  pollfd PollFd() const;
  // The agent's stdout, if we have a lease of it and no relay stands between,
  // or -1. Each time that it gets readable, call Advance().
  int leased_fd() const { return watches_lease_ ? lease_->fd() : -1; }
  // By Clock::Awake(); InfiniteFuture if only PollFd() matters.
  absl::Time wake_at() const { return wake_at_; }

  // How far the log has been read.
  int64_t offset() const { return reader_.offset(); }
  const Replay& replay() const { return replay_; }
  const TaskState& state() const { return replay_.state(); }

  // Takes the connection that a relay got with its task. It is used as soon as
  // the log shows the agent's process, instead of a new one.
  void ExpectRelay(relay::Client client);
  // The relay has started or failed, so a connection that is not in use by now
  // never will be.
  void ForgetExpected() { expected_.reset(); }
  // The process of the relay that we are or will be connected to, or 0.
  pid_t relay_pid() const;

  // Connected to the relay, which may not have said anything yet.
  bool connected() const { return client_.has_value(); }
  // How many there were: PollFd() may be of another one that has the number of
  // the last.
  int64_t connections() const { return connections_; }
  // Our role at the relay; nothing before it said so.
  std::optional<relay::Role> role() const;
  // The reason why we may only watch, if the relay tells it.
  std::optional<relay::WatchReason> watch_reason() const;
  // Asks again to drive, if we watch and the relay would not tell us that
  // its driver is gone. Happens every second by itself.
  void AskToDrive();
  // The clock of the relay that we are connected to.
  const RelayClock& relay_clock() const { return relay_clock_; }
  void Send(const relay::Command& command) { client_->Send(command); }
  // Answers to commands since the last call.
  std::vector<relay::Reply> TakeAnswers();
  // The trouble that the relay has with the log right now, or empty.
  const std::string& trouble() const { return trouble_; }

 private:
  Follower(const TaskFolder* folder, Options options, relay::LogReader reader);

  absl::Status Read(MessageSink sink);
  // Says how far behind we are.
  absl::Status ReadSome(MessageSink sink);
  // To the relay.
  void Listen();
  // Asks for the agent's stdout, once the relay has time for that.
  void AskForLease();
  void OpenLease(std::vector<UniqueFd> lent);
  void DropLease();
  // Watches stdout if it is ours to read. Else a watch would wake us for each
  // write of a flood, which the relay reads.
  void WatchLease();
  // Records what the agent has printed, if we have a lease. Whether the log has
  // grown.
  bool RecordLeased();
  void Disconnect();
  // Connects to the relay that should be there.
  void Connect(MessageSink sink);
  void Use(relay::Client client);
  void OnRelayMissing(MessageSink sink);
  // We want to drive, and the relay, an old one, won't tell us when we can.
  bool MustAskToDrive() const;

  const TaskFolder* folder_;
  Options options_;
  relay::LogReader reader_;
  Replay replay_;
  std::optional<relay::Client> client_;
  std::optional<relay::Client> expected_;
  std::unique_ptr<relay::LeasedOutput> lease_;    // Of client_.
  absl::Time lease_at_ = absl::InfiniteFuture();  // When to ask for one.
  bool lease_asked_ = false;                      // The reply is awaited.
  bool watches_lease_ = false;
  std::vector<relay::Reply> answers_;
  std::string trouble_;
  int64_t connections_ = 0;
  absl::Time wake_at_ = absl::InfiniteFuture();
  absl::Time connect_at_ = absl::InfinitePast();  // Not before.
  absl::Time drive_at_;  // When to ask again to drive, if that is needed.
  RelayClock relay_clock_;
  Later<absl::StatusOr<relay::LogWriter>> open_log_;
  Later<absl::Status> append_lost_;
  // The end of the log when we found that we are behind; 0 if we are not.
  int64_t behind_until_ = 0;
  bool relay_gone_ = false;  // Which is judged once its last words are read.
  bool at_end_ = false;
  bool caught_up_ = false;
  bool at_rest_ = false;
};

// For work that may outlive the owner of `fd`.
absl::StatusOr<UniqueFd> CopyOf(const UniqueFd& fd);

// Opens the log for writing, with a descriptor and a name of its own.
absl::AnyInvocable<absl::StatusOr<relay::LogWriter>()> OpenLogForWriting(
    const TaskFolder& folder, Clock* clock);

// NotFound says what to do if the task has no log.
absl::StatusOr<relay::LogReader> OpenLog(const TaskFolder& folder);

// Whether nobody has the log's lock: no relay, and nobody who starts one.
bool LogIsFree(const TaskFolder& folder);

}  // namespace troika

#endif  // TROIKA_TASK_FOLLOWER_H_
