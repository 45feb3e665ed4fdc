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
      if (!advanced.ok()) {
        view_.Finish();
        return Fail(io_, advanced.message());
      }
      if (runner_.at_rest()) return Finish();
      if (!view_.written().ok() && HasItsPrompt()) return OnWriteFailed();
      CloseWhenIdle();
      TellThatNobodyAnswers();
      Pause();
      for (const int signal : signals_.Take()) {
        const std::optional<int> code = OnSignal(signal);
        if (code) return *code;
      }
    }
  }

 private:
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
    Wait(std::move(fds), Sooner(runner_.wake_at(), view_.wake_at()), clock_);
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

  std::optional<int> OnSignal(int signal) {
    if (signal != SIGINT) {
      view_.Say(state().process_alive
                    ? absl::StrCat("leaving; the agent goes on, follow it "
                                   "with: troika tail ",
                                   id(), " -f")
                    : "leaving; the agent was not started yet");
      return kExitSignal + signal;
    }
    ++interrupts_;
    if (interrupts_ == 1) {
      view_.Say("interrupting the agent; Ctrl-C again stops it");
      Tell(runner_.Interrupt("user", "Ctrl-C"));
    } else if (interrupts_ == 2) {
      view_.Say("stopping the agent; Ctrl-C again leaves it to its end");
      Tell(runner_.Stop("user", "Ctrl-C"));
    } else {
      view_.Say(absl::StrCat("leaving; see how it ends with: troika tail ",
                             id(), " -f"));
      return kExitInterrupted;
    }
    return std::nullopt;
  }

  void Tell(const absl::Status& done) {
    if (!done.ok()) view_.Say(done.message());
  }

  // A reader that leaves is no error to tell anybody. The agent goes on.
  int OnWriteFailed() {
    if (absl::IsCancelled(view_.written())) return kExitOk;
    return Fail(io_, view_.written().message());
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
  if (options.output == ViewOptions::Output::kText) {
    view.Say(absl::StrCat("task ", (*runner)->folder().id));
  }
  return Foreground(runner->get(), &view, io, &clock).Run();
}

}  // namespace troika::cli
