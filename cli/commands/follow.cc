#include "cli/commands/follow.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "cli/approvals/answering.h"
#include "cli/approvals/respond.h"
#include "cli/attach/requests.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/modes.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"
#include "dto/task.h"
#include "task/inputs.h"

namespace troika::cli {
namespace {

using Output = ViewOptions::Output;

// A request does not wait longer for a server that hangs.
constexpr absl::Duration kCommandTimeout = absl::Seconds(10);

// The end of a turn that took longer is told with the terminal's bell.
constexpr absl::Duration kLongTurn = absl::Seconds(10);

constexpr absl::Duration kLostAfter = absl::Seconds(3);

// Decides when to tell the user that the server is gone: not if it is back in a
// moment.
class LostServer {
 public:
  // Returns true once if the connection has been interrupted for long.
  bool Update(bool interrupted, absl::Time now) {
    if (!interrupted) {
      since_.reset();
    } else if (!since_) {
      since_ = now;
    } else if (now - *since_ > kLostAfter) {
      return !std::exchange(told_, true);
    }
    return false;
  }
  // Returns true if the user was told.
  bool Back() { return std::exchange(told_, false); }

 private:
  std::optional<absl::Time> since_;
  bool told_ = false;
};

// A pipe gets everything whole.
TaskFeedOptions::Complete CompleteFor(const ViewOptions& view, const Io& io) {
  if (view.output != Output::kText) return TaskFeedOptions::Complete::kNone;
  const bool all =
      view.detail == Timeline::Detail::kFull || TerminalWidth(io.out) == 0;
  return all ? TaskFeedOptions::Complete::kAll
             : TaskFeedOptions::Complete::kShown;
}

class Follower : public TaskFeedListener {
 public:
  Follower(Server* server, const v1::Task& task, const FollowOptions& options,
           const Io& io)
      : options_(options),
        io_(io),
        api_(server->api.address(), {.start = server->api.options().start,
                                     .timeout = kCommandTimeout}),
        view_(options.view, server->environment, io, &clock_),
        feed_(&api_, task,
              {.clock = &clock_,
               .show = options.show,
               .complete = CompleteFor(options.view, io)},
              this),
        answering_(&api_, task.id(), &view_, io,
                   {.ask = options.until == FollowOptions::Until::kNow
                               ? AnsweringOptions::Ask::kNever
                               : AnsweringOptions::Ask::kOnTerminals,
                    .only = options.asked}),
        commands_(
            server->api.address(),
            {.start = server->api.options().start, .timeout = kCommandTimeout},
            &clock_) {
    view_.HidePrompt(options.prompt);
  }

  int Run();

 private:
  using Until = FollowOptions::Until;

  const TaskState& state() const { return feed_.state(); }
  const v1::Task& task() const { return feed_.task(); }

  void OnEvent(const FedEvent& event) override;
  void OnTask(const v1::Task& task) override;
  void OnReady() override;
  void OnProblem(absl::string_view text) override;
  // Whether nothing more comes by itself.
  bool Rests() const;
  // Whether the input that was given has not been delivered.
  bool InputWaits() const;
  // Whether it waits until somebody resumes the queue.
  bool InputIsHeld() const;
  // Whether the server says that the task has ended, but all of its events
  // don't, because its log is damaged or gone.
  bool EndedWithoutEvent() const;
  // Whether an approval or question waits for the user.
  bool Waits() const;
  void Pause();
  void OnSignal(int signal);
  void OnCtrlC();
  // Sends a request without waiting for its reply, and tells an error of it.
  template <typename Send>
  void SendCommand(Send send) {
    commands_.Ask(std::move(send), [this](const absl::Status& done) {
      if (!done.ok()) view_.Say(Sanitized(done.message()));
    });
  }
  int Leave();
  int LeaveAnswered(int code);
  int Finish();
  void SayBudget();
  void PrintAnswer();
  void PrintError();

  const FollowOptions options_;
  const Io io_;
  SystemClock clock_;
  client::ApiClient api_;  // For what the stream leaves out, and for answers.
  TaskView view_;
  TaskFeed feed_;
  Answering answering_;
  Signals signals_;
  Requests commands_;         // After signals_, whose mask its thread needs.
  std::optional<int> leave_;  // Exit code, once a signal came.
  LostServer lost_;
  int told_position_ = 0;  // Last printed position in the queue.
  int interrupts_ = 0;
};

int Follower::Run() {
  while (true) {
    const absl::Status advanced = feed_.Advance();
    if (!advanced.ok()) {
      view_.Finish();
      return FailWith(io_, advanced);
    }
    if (feed_.ended()) {
      view_.Say("the task was deleted");
      return kExitFailure;
    }
    if (feed_.ready() && options_.until == Until::kAnswered) {
      if (!Waits()) return LeaveAnswered(kExitOk);
      if (!answering_.can_ask()) return LeaveAnswered(kExitFailure);
    } else if (feed_.ready() && (options_.until == Until::kNow || Rests())) {
      return Finish();
    }
    view_.Flush(state());
    if (leave_) return Leave();
    // It is not an error if the reader is gone. The agent continues.
    if (absl::IsCancelled(view_.written())) return kExitOk;
    if (!view_.written().ok()) return Fail(io_, view_.written().message());
    if (feed_.ready()) answering_.Update(state());
    Pause();
    commands_.RunDone();
    for (const int signal : signals_.Take()) OnSignal(signal);
  }
}

void Follower::Pause() {
  std::vector<pollfd> fds = feed_.PollFds();
  fds.push_back({.fd = signals_.fd(), .events = POLLIN});
  fds.push_back(commands_.PollFd());
  const std::optional<pollfd> typing = answering_.PollFd();
  if (typing) fds.push_back(*typing);
  if (Wait(&fds, std::min(feed_.wake_at(), view_.wake_at()), clock_) &&
      typing && fds.back().revents != 0) {
    answering_.OnInput();
  }
  if (lost_.Update(feed_.interrupted(), clock_.Awake())) {
    view_.Say("the server is gone; connecting again");
  }
}

void Follower::OnEvent(const FedEvent& event) {
  if (event.whole) answering_.Remember(event.message);
  view_.Add(event.message, state(), event.json);
}

void Follower::OnReady() {
  if (lost_.Back()) view_.Say("connected again");
}

void Follower::OnProblem(absl::string_view text) { view_.Say(Sanitized(text)); }

void Follower::OnTask(const v1::Task& task) {
  view_.SayTrouble(task.trouble());
  const int position =
      task.state() == v1::Task::queued ? task.queue_position() : 0;
  if (position == std::exchange(told_position_, position) || position == 0) {
    return;
  }
  if (options_.view.output == Output::kText) {
    view_.Say(absl::StrCat("the task waits in the queue, at place ", position));
  }
}

bool Follower::EndedWithoutEvent() const {
  const TaskStatus status = ToTaskState(task()).status;
  return HasEnded(status) && status != state().status && feed_.has_all();
}

bool Follower::InputWaits() const {
  const TaskInput* const input = FindInput(state(), options_.input);
  return input != nullptr && input->receipt.state == Receipt::State::kQueued;
}

bool Follower::InputIsHeld() const {
  return InputWaits() && task().queue_held() &&
         (task().state() >= v1::Task::idle) && feed_.has_all();
}

bool Follower::Rests() const {
  if (EndedWithoutEvent() || InputIsHeld()) return true;
  if (InputWaits()) return false;
  if (state().turns < options_.turns) return false;
  if (HasEnded(state().status)) return true;
  // An agent that gets no more input ends by itself soon.
  return state().status == TaskStatus::kIdle && !state().input_closed;
}

bool Follower::Waits() const {
  const std::string& id = options_.asked;
  if (id.empty()) return cli::Waits(state());
  const auto waits = [&](const auto& pending) {
    const auto it = pending.find(id);
    return it != pending.end() && !it->second.answered;
  };
  return waits(state().approvals) || waits(state().questions);
}

void Follower::OnSignal(int signal) {
  if (signal == SIGINT &&
      options_.ctrl_c == FollowOptions::CtrlC::kInterrupts) {
    return OnCtrlC();
  }
  if (!leave_) leave_ = kExitSignal + signal;
}

void Follower::OnCtrlC() {
  ++interrupts_;
  if (interrupts_ == 1) {
    view_.Say("interrupting the agent; Ctrl-C again stops it");
    SendCommand([id = task().id()](client::ApiClient& api) {
      v1::InterruptRequest request;
      request.set_reason("Ctrl-C");
      return api.Interrupt(id, request).status();
    });
  } else if (interrupts_ == 2) {
    view_.Say("stopping the agent; Ctrl-C again leaves at once");
    SendCommand([id = task().id()](client::ApiClient& api) {
      v1::StopRequest request;
      request.set_reason("Ctrl-C");
      return api.Stop(id, request).status();
    });
  } else if (!leave_) {
    leave_ = kExitInterrupted;
  }
}

int Follower::Leave() {
  view_.Finish();
  if (options_.ctrl_c == FollowOptions::CtrlC::kInterrupts) {
    const bool ends = state().ending.kind != Ending::Kind::kNone;
    view_.Say(
        absl::StrCat("leaving; ",
                     ends ? "see how it ends with: troika tail "
                          : "the agent continues, follow it with: troika tail ",
                     task().id(), " -f"));
  }
  return *leave_;
}

int Follower::LeaveAnswered(int code) {
  // Tells what was typed if another has answered.
  if (code == kExitOk) answering_.Update(state());
  view_.Prompt("");
  view_.Finish();
  if (code != kExitOk) view_.Say("nothing was answered");
  return code;
}

int Follower::Finish() {
  // Tells what was typed if the end came together with another's answer.
  if (options_.until == Until::kRest && !cli::Waits(state())) {
    answering_.Update(state());
  }
  view_.Prompt("");
  const bool took_long =
      state().turn_started && clock_.Now() - *state().turn_started > kLongTurn;
  if (options_.until == Until::kRest && took_long) {
    view_.Alert(absl::StrCat(
        state().outcome ? NameOf(*state().outcome) : NameOf(state().status),
        ": ", task().title()));
  }
  view_.ShowWaiting(state());
  view_.Finish();
  if (absl::IsCancelled(view_.written())) return kExitOk;
  if (!view_.written().ok()) return Fail(io_, view_.written().message());
  if (EndedWithoutEvent()) {
    view_.Say(absl::StrCat("the task is ", StateText(task()),
                           task().reason().empty() ? "" : ": ",
                           Sanitized(task().reason())));
    return view_.ExitCode(ToTaskState(task()));
  }
  const TaskInput* const input = FindInput(state(), options_.input);
  if (InputIsHeld()) {
    view_.Say(absl::StrCat(options_.input,
                           " waits, because the turn was ended; send it with: "
                           "troika queue ",
                           task().id(), " --resume"));
    return kExitFailure;
  }
  if (input != nullptr && input->receipt.state >= Receipt::State::kFailed) {
    view_.Say(absl::StrCat(options_.input, " was not delivered: ",
                           Sanitized(input->receipt.reason)));
    return input->receipt.state == Receipt::State::kFailed ? kExitFailure
                                                           : kExitCancelled;
  }
  const int code = view_.ExitCode(state());
  if (options_.until == Until::kRest) SayBudget();
  const bool quiet = options_.view.output == Output::kQuiet;
  if (quiet) PrintAnswer();
  if (options_.until == Until::kNow) return code;
  // A damaged log may have lost the turn.
  if (code == kExitOk && !state().result &&
      options_.ctrl_c == FollowOptions::CtrlC::kInterrupts) {
    view_.Say(absl::StrCat(
        "the task has ended without a result; see why with: troika log ",
        task().id()));
    return kExitFailure;
  }
  if (quiet && code != kExitOk) PrintError();
  return code;
}

// The notice about a budget comes after the end of a turn whose usage is told
// only then.
void Follower::SayBudget() {
  if (!task().budget().has_limits()) return;
  const absl::StatusOr<v1::Task> now = api_.GetTask(task().id());
  if (!now.ok()) return;
  if (const std::string near = NearBudgetText(*now); !near.empty()) {
    view_.Say(absl::StrCat("budget: ", near));
  }
}

// Reads the answer from the task, because an event may have only its start.
void Follower::PrintAnswer() {
  const absl::StatusOr<v1::Task> whole = api_.GetTask(task().id());
  if (!whole.ok()) return view_.Say(Sanitized(whole.status().message()));
  const std::string& answer = whole->result().text();
  if (answer.empty()) return;
  // Programs get the exact answer.
  const bool exact = isatty(io_.out) == 0;
  Print(io_, absl::StrCat(exact ? answer : Sanitized(answer),
                          answer.back() == '\n' ? "" : "\n"));
}

void Follower::PrintError() {
  const std::string denials =
      state().result ? DenialsText(*state().result) : "";
  std::string text(NameOf(state().status));
  if (!state().error.empty()) {
    text = Sanitized(state().error);
  } else if (!denials.empty()) {
    text = absl::StrCat("done, but ", Sanitized(denials));
  }
  view_.Say(text);
  if (state().result) {
    const std::string flag =
        AllowingFlag(*state().result, state().edit_mode, state().task);
    if (!flag.empty()) view_.Say(flag);
  }
  if (!state().hint.empty()) {
    view_.Say(absl::StrCat("hint: ", Sanitized(state().hint)));
  }
}

}  // namespace

int Follow(Server& server, const v1::Task& task, const FollowOptions& options,
           const Io& io) {
  return Follower(&server, task, options, io).Run();
}

}  // namespace troika::cli
