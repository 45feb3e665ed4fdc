#include "cli/run_task.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "cli/signals.h"
#include "cli/terminal_text.h"
#include "cli/wait.h"
#include "relay/start.h"
#include "task/home.h"
#include "task/runner.h"

namespace troika::cli {
namespace {

// For an agent that starts to get its prompt, where we are told to leave.
constexpr int64_t kLeavePatience = 5000000;

// One task from its start to its end, or to ours.
class Foreground {
 public:
  Foreground(Runner* runner, TaskView* view, const Io& io, Clock* clock)
      : runner_(*runner), view_(*view), io_(io), clock_(*clock) {}

  int Run() {
    while (true) {
      const absl::Status advanced =
          runner_.Advance([&](Message&& m) { view_.Add(m, runner_.state()); });
      view_.Flush(state());
      view_.SayTrouble(runner_.trouble());
      if (!advanced.ok()) {
        view_.Finish();
        return Fail(io_, advanced.message());
      }
      if (runner_.at_rest()) return Finish();
      if (leave_ && MayLeave()) return Leave();
      if (!view_.written().ok() && HasItsPrompt()) return OnWriteFailed();
      CloseWhenIdle();
      TellThatNobodyAnswers();
      Pause();
      for (const int signal : signals_.Take()) OnSignal(signal);
    }
  }

 private:
  // That we were told to.
  struct Leaving {
    int exit_code = 0;
    int64_t deadline = 0;
  };

  const TaskState& state() const { return runner_.state(); }
  const std::string& id() const { return runner_.folder().id; }

  // From here on the agent does its turn without us.
  bool HasItsPrompt() const {
    return state().process_alive && state().status != TaskStatus::kStarting &&
           state().status != TaskStatus::kQueued;
  }

  void Pause() {
    std::vector<pollfd> fds = runner_.PollFds();
    fds.push_back({.fd = signals_.fd(), .events = POLLIN});
    const int64_t wake_at = Sooner(runner_.wake_at(), view_.wake_at());
    Wait(std::move(fds), Sooner(wake_at, leave_ ? leave_->deadline : 0),
         clock_);
  }

  // There is one turn, and no more is to come.
  void CloseWhenIdle() {
    if (state().status != TaskStatus::kIdle) return;
    // Where another one drives the task, it is theirs to end.
    runner_.CloseInput().IgnoreError();
  }

  void TellThatNobodyAnswers() {
    const bool waits = state().status == TaskStatus::kAwaitingApproval ||
                       state().status == TaskStatus::kAwaitingAnswer;
    if (!waits || std::exchange(told_of_waiting_, true)) return;
    view_.Say(
        "the agent waits for an answer, and none can be given here: Ctrl-C "
        "ends its turn, and --edit-mode says what it may do without asking");
  }

  void OnSignal(int signal) {
    if (signal != SIGINT) return PrepareToLeave(kExitSignal + signal);
    ++interrupts_;
    if (interrupts_ == 1) {
      view_.Say("interrupting the agent; Ctrl-C again stops it");
      Tell(runner_.Interrupt("user", "Ctrl-C"));
    } else if (interrupts_ == 2) {
      view_.Say("stopping the agent; Ctrl-C again leaves it to its end");
      Tell(runner_.Stop("user", "Ctrl-C"));
    } else {
      PrepareToLeave(kExitInterrupted);
    }
  }

  void PrepareToLeave(int exit_code) {
    if (leave_) return;
    leave_ = {.exit_code = exit_code,
              .deadline = clock_.NowMicros() + kLeavePatience};
    if (!HasItsPrompt()) view_.Say("leaving as soon as the agent has begun");
  }

  // The relay gets what we want of the agent from us, and an agent without a
  // prompt would wait for nobody.
  bool MayLeave() const {
    return HasItsPrompt() || clock_.NowMicros() >= leave_->deadline;
  }

  int Leave() {
    const bool ends = state().ending.kind != Ending::Kind::kNone;
    view_.Say(absl::StrCat(
        "leaving; ",
        !HasItsPrompt() ? "the agent has not begun its turn, see what comes of "
                          "it with: troika tail "
        : ends          ? "see how it ends with: troika tail "
                        : "the agent goes on, follow it with: troika tail ",
        id(), " -f"));
    return leave_->exit_code;
  }

  void Tell(const absl::Status& done) {
    if (!done.ok()) view_.Say(done.message());
  }

  // A reader that leaves is no error to tell anybody. The agent goes on.
  int OnWriteFailed() {
    if (absl::IsCancelled(view_.written())) return kExitOk;
    return Fail(io_, view_.written().message());
  }

  // A log that was damaged may have lost the turn.
  bool EndedWell() const {
    return state().status == TaskStatus::kDone && state().turns > 0 &&
           state().result;
  }

  int Finish() {
    view_.Finish();
    const std::string answer = runner_.Answer();
    const bool quiet = view_.output() == ViewOptions::Output::kQuiet;
    const bool streamed = state().result && !state().result->text.empty();
    const bool text = view_.output() == ViewOptions::Output::kText;
    if (!answer.empty() && (quiet || (text && !streamed))) {
      const bool ended = answer.back() == '\n';
      // Programs get it as it is.
      const bool exact = quiet && isatty(io_.out) == 0;
      Print(io_,
            absl::StrCat(exact ? answer : Harmless(answer), ended ? "" : "\n"));
    }
    const int code = view_.ExitCode(state());
    if (code == kExitOk && !EndedWell()) {
      view_.Say(absl::StrCat(
          "the task is over and has no result; see why with: troika log ",
          id()));
      return kExitFailure;
    }
    if (quiet && code != kExitOk) TellError();
    return code;
  }

  void TellError() {
    const std::string error = state().error.empty()
                                  ? std::string(TaskStatusId(state().status))
                                  : state().error;
    view_.Say(Harmless(error));
    if (!state().hint.empty()) {
      view_.Say(absl::StrCat("hint: ", Harmless(state().hint)));
    }
  }

  Runner& runner_;
  TaskView& view_;
  const Io io_;
  Clock& clock_;
  Signals signals_;
  std::optional<Leaving> leave_;
  int interrupts_ = 0;
  bool told_of_waiting_ = false;
};

absl::StatusOr<std::unique_ptr<Runner>> CreateTask(
    TaskRequest request, const Environment& environment, Clock* clock) {
  RunnerTools tools = {.clock = clock};
  ASSIGN_OR_RETURN(tools.relay_program, relay::FindRelayProgram());
  ASSIGN_OR_RETURN(const Home home, Home::Open(environment));
  tools.version_cache = home.version_cache();
  return Runner::Create(home, std::move(request), environment,
                        std::move(tools));
}

// Whether it is the request that is at fault, and not the machine.
bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status) ||
         absl::IsFailedPrecondition(status) || absl::IsUnimplemented(status);
}

}  // namespace

int RunTask(TaskRequest request, const ViewOptions& options,
            const Environment& environment, const Io& io) {
  SystemClock clock;
  const auto runner = CreateTask(std::move(request), environment, &clock);
  if (!runner.ok()) {
    Fail(io, runner.status().message());
    return IsRefusal(runner.status()) ? kExitUsage : kExitFailure;
  }
  TaskView view(options, environment, io, &clock);
  // It takes the signals, so that none ends us between its task and its agent.
  Foreground foreground(runner->get(), &view, io, &clock);
  if (options.output == ViewOptions::Output::kText) {
    view.Say(absl::StrCat("task ", (*runner)->folder().id));
  }
  return foreground.Run();
}

}  // namespace troika::cli
