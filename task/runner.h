// Runs one task: starts its processes, tells them what to do, and watches over
// them. Everything that it knows is in the task's log, so it can be killed at
// any time, and another one goes on where it stood.
//
// Passive: its owner polls PollFds(), or waits until wake_at(), and calls
// Advance().
//
//   ASSIGN_OR_RETURN(auto runner, Runner::Create(home, request, env, tools));
//   while (!runner->at_rest()) {
//     RETURN_IF_ERROR(runner->Advance(print));
//     Wait(runner->PollFds(), runner->wake_at());
//   }
#ifndef TROIKA_TASK_RUNNER_H_
#define TROIKA_TASK_RUNNER_H_

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/backend.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"
#include "agent/protocol.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/client.h"
#include "relay/log_writer.h"
#include "task/answer.h"
#include "task/command_queue.h"
#include "task/follower.h"
#include "task/home.h"
#include "task/later.h"
#include "task/notes.h"
#include "task/request.h"
#include "task/state.h"
#include "task/watchdog.h"

namespace troika {

// What a runner works with. Borrowed things outlive it.
struct RunnerTools {
  Clock* clock = nullptr;
  std::string relay_program;
  std::string version_cache;
  // Asked before each start of a process: the CLI, an error for the task, or
  // nothing where it can't be had now, as others run or
  // the CLI is still looked for. The runner then waits for its owner to call
  // Advance() again. Unset: FindCli with the cache above, which may block.
  absl::AnyInvocable<std::optional<absl::StatusOr<Cli>>(const Backend&,
                                                        const Environment&)>
      find_cli;
  // For what blocks: the log's lock, its sync, and the start of a relay. When
  // it is done, the owner calls Advance() again. Unset: it is done at once.
  BlockingExecutor executor;
  absl::Duration grace = absl::Seconds(5);  // Between the signals of an end.
  int64_t max_log_bytes = int64_t{4} << 30;
  int64_t max_read = int64_t{1} << 20;  // Of the log, in one Advance().
  // For tests that stop a runner at any point: called before each thing that it
  // writes, and after each record that it reads.
  absl::AnyInvocable<void()> on_step;
};

// A turn as somebody asks for it.
struct TurnRequest {
  std::string prompt;
  std::vector<std::string> images;  // Paths, absolute or under the task's cwd.
  // The same, read by ReadImages(); unset: Input() reads them, which blocks.
  std::optional<std::vector<TurnAsked::Image>> read_images;
  std::string by = "user";
  std::string request_key;  // Asked again with the same one, it counts once.
  // For this turn and later ones; unset: as before.
  std::string model;
  std::optional<EditMode> edit_mode;
  notes::Timeouts timeouts;
};

class Runner {
 public:
  // Makes a task and its log (make.h), with paths taken from the current
  // folder; Advance() starts its agent.
  static absl::StatusOr<std::unique_ptr<Runner>> Create(const Home& home,
                                                        TaskRequest request,
                                                        Environment environment,
                                                        RunnerTools tools);
  // Takes up a task that is there, alive or not.
  static absl::StatusOr<std::unique_ptr<Runner>> Open(TaskFolder folder,
                                                      RunnerTools tools);

  // Does what there is to do, and waits for nothing. Errors are of reading the
  // log, and final. What can't be written now is tried again every second, and
  // trouble() says so.
  absl::Status Advance(MessageSink sink);
  std::vector<pollfd> PollFds() const;
  // Changes where PollFds() are of others than before.
  int64_t connections() const { return follower_->connections() + starts_; }
  // By Clock::Awake(); InfiniteFuture if only PollFds() matter.
  absl::Time wake_at() const;
  // No process lives, and nothing waits for one.
  bool at_rest() const;
  // The log's end has been seen. Before that, all below but Answer() is
  // Unavailable, and the state is an old one.
  bool caught_up() const { return follower_->caught_up(); }
  // RunnerTools::find_cli had nothing for us: call Advance() when it may have.
  bool waits_for_start() const { return waits_for_start_; }
  // All that was asked of the runner is in the log. What is not yet goes there
  // with the next calls of Advance().
  bool settled() const;

  // Another turn, or a word into the running one where the harness takes it.
  // FailedPrecondition says what to do where it can't be had now. A process
  // that waits for input and has another model or edit mode is replaced.
  absl::Status Input(const TurnRequest& turn);
  // Answers what the agent asked; see answer.h for the errors.
  absl::Status Respond(const AnswerRequest& request);
  // The turn shall end. A harness that can be told so goes on living. Turns
  // that wait for a process are withdrawn, and the task stays as the last turn
  // left it; one that never started is cancelled.
  absl::Status Interrupt(absl::string_view by, absl::string_view reason);
  // The agent and all that it started shall end; asked again, sooner. `grace`
  // lies between the signals; unset: that of the tools.
  absl::Status Stop(absl::string_view by, absl::string_view reason,
                    std::optional<absl::Duration> grace = std::nullopt);
  // No more turns: a process that waits for input ends by itself.
  absl::Status CloseInput();

  const TaskState& state() const { return follower_->state(); }
  const TaskFolder& folder() const { return folder_; }
  const notes::Request& request() const {
    return *follower_->replay().request();
  }
  // Null until the log's first record has been read.
  const notes::Request* /*nullable*/ asked() const {
    return follower_->replay().request();
  }
  // How far the log has been read.
  int64_t log_bytes() const { return follower_->offset(); }
  // What is wrong with the log or a start right now; empty: nothing.
  const std::string& trouble() const {
    return trouble_.empty() ? follower_->trouble() : trouble_;
  }
  // Paths of a turn's images from the task's folder on.
  std::vector<std::string> ImagePaths(const TurnRequest& turn) const;
  // What we are to the relay; nothing where none lives, or it has not said so.
  // What is asked meanwhile waits until it has.
  std::optional<relay::Role> role() const { return follower_->role(); }
  // Of the relay that we are connected to; 0: none.
  pid_t relay_pid() const;
  // The last turn's answer; from the file that the CLI left it in where the
  // stream had none.
  std::string Answer() const;

 private:
  Runner(TaskFolder folder, RunnerTools tools);

  absl::Status OpenFollower();
  absl::Status LoadOptions();
  // Appends to the log, or has the relay do it where one lives.
  absl::Status AppendNote(const notes::Note& note, std::string key);
  // The log, locked: nothing while it is being opened, or where its lock is not
  // free or something was written that we have not read. Errors are final.
  absl::StatusOr<std::optional<relay::LogWriter>> TakeLog();
  // What waits for the log's lock; left to wait where that is not free.
  absl::Status AppendPending();
  absl::Status AppendPendingTo(relay::LogWriter log);
  absl::Status FinishAppend();
  // An error of writing or starting: OK where it may pass, and is told.
  absl::Status TryAgainLater(const absl::Status& error);
  bool IsStale(const RelayCommand& command, int turns) const;
  bool HasPendingTurns() const;
  absl::Status CheckReady() const;
  absl::Status CheckInput(const TurnRequest& turn);
  absl::Status CheckWorkLeft(const TurnRequest& turn) const;
  // A turn that the process which lives does not take needs a CLI that can go
  // on with the session.
  absl::Status CheckNextProcess(const TurnRequest& turn) const;
  // The CLI as far as it is known without asking it; where an owner finds it,
  // that must not block.
  Cli KnownCli() const;
  // The one of the last process.
  Cli LastCli() const { return {.version = state().version}; }
  // What the process that lives, or else the next one, can do.
  Capabilities CapabilitiesNow() const;
  // The one that lives was started with another model or edit mode.
  bool WantsAnotherProcess(const TurnRequest& turn) const;
  // To the relay, now or once it is there.
  void Send(RelayCommand command);
  // Where we drive it: what another one's relay would refuse stays.
  void SendQueue();
  absl::Status CheckDriver();
  std::string NextKey(absl::string_view kind);

  absl::Status StartProcess();
  absl::Status Launch(relay::LogWriter log, const Cli& cli);
  absl::Status FinishLaunch();
  // Whether the owner lets us start; cli_ is then what to start with.
  bool FindCliNow();
  // A process is on its way.
  bool starts() const { return ready_.ok() || start_relay_.busy(); }
  // Something that blocks is being done.
  bool blocked() const {
    return open_log_.running() || append_.running() || start_relay_.running();
  }
  absl::StatusOr<LaunchRequest> NextLaunch() const;
  void OnRelayStarted();
  // The note of a start that did not come about, for when the lock is free.
  void KeepStartFailed(absl::string_view error);
  absl::Status FailStart(relay::LogWriter log, absl::string_view error);
  struct Appended {
    absl::Status flushed;
    absl::Status synced;
    int64_t offset = 0;  // Where the log then ended.
  };
  void Watch();
  // When the deadline passes, by our clock.
  absl::Time AlarmAt(const Alarm& alarm) const;
  void Step();

  const TaskFolder folder_;
  RunnerTools tools_;
  Environment environment_;
  const Backend* backend_ = nullptr;
  LaunchOptions options_;
  std::optional<Follower> follower_;
  UniqueFd ready_;  // Of a relay that starts.
  int64_t starts_ = 0;
  CommandQueue queue_;
  // To be appended to the log while no process lives: turns that one did not
  // take, cancels, and starts that failed.
  std::vector<RelayCommand> pending_;
  absl::Time pending_at_ = absl::InfiniteFuture();  // When to try again.
  // When to try again what else could not be done.
  std::optional<absl::Time> retry_at_;
  std::string trouble_;  // Why it could not be done.
  // What the owner lets us start with, until it is used.
  std::optional<absl::StatusOr<Cli>> cli_;
  Later<absl::StatusOr<relay::LogWriter>> open_log_;
  Later<Appended> append_;
  std::vector<int64_t> append_ends_;  // In the log, of each that is appended.
  Later<absl::StatusOr<UniqueFd>> start_relay_;
  bool appended_ = false;  // Since the log was read.
  bool waits_for_start_ = false;
  bool waited_for_start_ = false;  // When find_cli was asked last.
  int commands_ = 0;
  int asked_turn_ = 0;              // The last that we asked for.
  std::string asked_request_key_;   // Its.
  std::set<std::string> answered_;  // What we answered in this process.
  // Deadlines up to here have been seen to.
  std::optional<absl::Time> watched_until_;
  std::optional<absl::Time> interrupt_until_;  // The turn is to end by then.
  // A deadline passed while nobody called us: it waits until then.
  std::optional<absl::Time> overslept_until_;
};

}  // namespace troika

#endif  // TROIKA_TASK_RUNNER_H_
