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

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/backend.h"
#include "agent/environment.h"
#include "agent/launch.h"
#include "agent/protocol.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/client.h"
#include "relay/log_writer.h"
#include "task/command_queue.h"
#include "task/follower.h"
#include "task/home.h"
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
  uint32_t grace_ms = 5000;  // Between the signals of an end.
  int64_t max_log_bytes = int64_t{4} << 30;
  // For tests that stop a runner at any point: called before each thing that it
  // writes, and after each record that it reads.
  absl::AnyInvocable<void()> on_step;
};

class Runner {
 public:
  // Makes a task and its log; Advance() starts its agent. Nothing is left
  // behind where the request makes no sense or its CLI is missing.
  static absl::StatusOr<std::unique_ptr<Runner>> Create(const Home& home,
                                                        TaskRequest request,
                                                        Environment environment,
                                                        RunnerTools tools);
  // Takes up a task that is there, alive or not.
  static absl::StatusOr<std::unique_ptr<Runner>> Open(TaskFolder folder,
                                                      RunnerTools tools);

  // Does what there is to do. Errors are of the log, and final.
  absl::Status Advance(MessageSink sink);
  std::vector<pollfd> PollFds() const;
  int64_t wake_at() const;
  // No process lives, and nothing waits for one.
  bool at_rest() const;

  // Another turn, or a word into the running one where the harness takes it.
  // FailedPrecondition says what to do where it can't be had now.
  absl::Status Input(absl::string_view prompt,
                     const std::vector<std::string>& images,
                     absl::string_view by);
  // The turn shall end. A harness that can be told so goes on living.
  absl::Status Interrupt(absl::string_view by, absl::string_view reason);
  // The agent and all that it started shall end; asked again, sooner.
  absl::Status Stop(absl::string_view by, absl::string_view reason);
  // No more turns: a process that waits for input ends by itself.
  absl::Status CloseInput();

  const TaskState& state() const { return follower_->state(); }
  const TaskFolder& folder() const { return folder_; }
  const notes::Request& request() const {
    return *follower_->replay().request();
  }
  // What is wrong with the log right now; empty: nothing.
  const std::string& trouble() const { return follower_->trouble(); }
  // The last turn's answer; from the file that the CLI left it in where the
  // stream had none.
  std::string Answer() const;

 private:
  Runner(TaskFolder folder, RunnerTools tools);

  absl::Status OpenFollower();
  absl::Status LoadOptions();
  // Appends to the log, or has the relay do it where one lives.
  absl::Status AppendNote(const notes::Note& note, std::string key);
  // Turns that a process ended before it could take.
  absl::Status AppendTurns();
  // To the relay, now or once it is there.
  void Send(RelayCommand command);
  void SendQueue();
  absl::Status CheckDriver() const;
  std::string NextKey(absl::string_view kind);

  absl::Status StartProcess();
  absl::Status Launch(relay::LogWriter log);
  absl::StatusOr<LaunchRequest> NextLaunch() const;
  absl::Status OnRelayStarted();
  absl::Status FailStart(relay::LogWriter log, absl::string_view error);
  void Watch();
  void Step();

  const TaskFolder folder_;
  RunnerTools tools_;
  Environment environment_;
  const Backend* backend_ = nullptr;
  LaunchOptions options_;
  Watchdog watchdog_;
  std::optional<Follower> follower_;
  UniqueFd ready_;  // Of a relay that starts.
  CommandQueue queue_;
  std::vector<RelayCommand> turns_;  // To be appended to the log.
  std::optional<relay::Role> role_;
  int commands_ = 0;
  int64_t watched_until_ = 0;    // Deadlines up to here have been seen to.
  int64_t interrupt_until_ = 0;  // The turn is to have ended by then; 0: none.
};

}  // namespace troika

#endif  // TROIKA_TASK_RUNNER_H_
