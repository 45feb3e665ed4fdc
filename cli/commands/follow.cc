#include "cli/commands/follow.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "cli/approvals/answering.h"
#include "cli/approvals/respond.h"
#include "cli/commands/task_fold.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/terminal_text.h"
#include "client/event_stream.h"
#include "dto/proto_json.h"
#include "dto/task.h"
#include "task/inputs.h"

namespace troika::cli {
namespace {

using Output = ViewOptions::Output;

// Ctrl-C does not wait longer for a server that hangs.
constexpr absl::Duration kCommandTimeout = absl::Seconds(10);

constexpr absl::Duration kLostAfter = absl::Seconds(3);

std::string PathOf(const v1::Task& task) {
  return client::TaskPath(task.id(), "/events");
}

// Whether the timeline shows all of the message, and not only a part.
bool IsShownWhole(const Message& message) {
  return std::holds_alternative<Text>(message.payload) ||
         std::holds_alternative<Result>(message.payload) ||
         std::holds_alternative<Approval>(message.payload) ||
         std::holds_alternative<Question>(message.payload) ||
         std::holds_alternative<Notice>(message.payload) ||
         std::holds_alternative<Lifecycle>(message.payload) ||
         std::holds_alternative<Receipt>(message.payload);
}

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

class Follower {
 public:
  Follower(Server* server, const v1::Task& task, const FollowOptions& options,
           const Io& io)
      : options_(options),
        io_(io),
        task_(task),
        last_shown_(options.show == FollowOptions::Show::kAll
                        ? ""
                        : task.last_event_id()),
        api_(server->api.address(), {.start = server->api.options().start,
                                     .timeout = kCommandTimeout}),
        fold_(task, options.show == FollowOptions::Show::kAll
                        ? TaskFold::From::kStart
                        : TaskFold::From::kTask),
        view_(options.view, server->environment, io, &clock_),
        stream_(server->api.address(), PathOf(task),
                {.clock = &clock_,
                 .start = server->api.options().start,
                 .after = last_shown_}),
        answering_(&api_, task_.id(), &view_, io,
                   {.ask = options.until == FollowOptions::Until::kNow
                               ? AnsweringOptions::Ask::kNever
                               : AnsweringOptions::Ask::kOnTerminals,
                    .only = options.asked}) {}

  int Run();

 private:
  using Until = FollowOptions::Until;

  const TaskState& state() const { return fold_.state(); }

  void OnEvent(client::SseEvent&& event);
  void OnMessage(const client::SseEvent& event);
  void OnTask(const std::string& json);
  void OnReset();
  // Replaces a message by the one with nothing cut. Keeps it, and says so, if
  // that can't be read.
  void Complete(const std::string& event, Message* message);
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
  int Leave();
  int LeaveAnswered(int code);
  int Finish();
  void PrintAnswer();
  void PrintError();

  const FollowOptions options_;
  const Io io_;
  v1::Task task_;           // The server's last description.
  std::string last_shown_;  // Id of the last event, or empty.
  SystemClock clock_;
  client::ApiClient api_;  // For commands during the stream.
  TaskFold fold_;
  TaskView view_;
  client::EventStream stream_;
  Answering answering_;
  Signals signals_;
  std::optional<int> leave_;      // Exit code, once a signal came.
  std::optional<EventId> shown_;  // Id of the last event.
  bool ready_ = false;            // All past events have come.
  LostServer lost_;
  int told_position_ = 0;  // Last printed position in the queue.
  int interrupts_ = 0;
};

int Follower::Run() {
  while (true) {
    const absl::Status advanced = stream_.Advance(
        [&](client::SseEvent&& event) { OnEvent(std::move(event)); });
    if (!advanced.ok()) {
      view_.Finish();
      return FailWith(io_, advanced);
    }
    if (stream_.ended()) {
      view_.Say("the task was deleted");
      return kExitFailure;
    }
    if (ready_ && options_.until == Until::kAnswered) {
      if (!Waits()) return LeaveAnswered(kExitOk);
      if (!answering_.can_ask()) return LeaveAnswered(kExitFailure);
    } else if (ready_ && (options_.until == Until::kNow || Rests())) {
      return Finish();
    }
    view_.Flush(state());
    if (leave_) return Leave();
    // It is not an error if the reader is gone. The agent continues.
    if (absl::IsCancelled(view_.written())) return kExitOk;
    if (!view_.written().ok()) return Fail(io_, view_.written().message());
    if (ready_) answering_.Update(state());
    Pause();
    for (const int signal : signals_.Take()) OnSignal(signal);
  }
}

void Follower::Pause() {
  std::vector<pollfd> fds = stream_.PollFds();
  fds.push_back({.fd = signals_.fd(), .events = POLLIN});
  const std::optional<pollfd> typing = answering_.PollFd();
  if (typing) fds.push_back(*typing);
  if (Wait(&fds, std::min(stream_.wake_at(), view_.wake_at()), clock_) &&
      typing && fds.back().revents != 0) {
    answering_.OnInput();
  }
  if (lost_.Update(stream_.interrupted(), clock_.Awake())) {
    view_.Say("the server is gone; connecting again");
  }
}

void Follower::OnEvent(client::SseEvent&& event) {
  if (event.name == "message") {
    OnMessage(event);
  } else if (event.name == "task") {
    OnTask(event.data);
  } else if (event.name == "reset") {
    OnReset();
  } else if (event.name == "ready") {
    ready_ = true;
    if (lost_.Back()) view_.Say("connected again");
  }
}

void Follower::OnMessage(const client::SseEvent& event) {
  absl::StatusOr<Message> message = fold_.Take(event.data);
  if (!message.ok()) {
    view_.Say(absl::StrCat("an event can't be read: ",
                           Sanitized(message.status().message())));
    return;
  }
  // After a reset, events come again.
  if (shown_ && message->id <= *shown_) return;
  shown_ = message->id;
  last_shown_ = event.id;
  if (fold_.was_cut()) {
    if (options_.view.output == Output::kText && IsShownWhole(*message)) {
      Complete(event.id, &*message);
    }
  } else {
    answering_.Remember(*message);
  }
  view_.Add(*message, state(), event.data);
}

void Follower::Complete(const std::string& event, Message* message) {
  absl::StatusOr<Message> whole = api_.GetEvent(task_.id(), event);
  if (whole.ok()) {
    *message = *std::move(whole);
    answering_.Remember(*message);
    return;
  }
  view_.Say(absl::StrCat("event ", event,
                         " is incomplete, because the rest can't be read: ",
                         Sanitized(whole.status().message())));
}

void Follower::OnTask(const std::string& json) {
  v1::Task task;
  if (!FromJson(json, &task, UnknownFields::kIgnore).ok()) return;
  view_.SayTrouble(task.trouble());
  task_ = task;
  const int position =
      task.state() == v1::Task::queued ? task.queue_position() : 0;
  if (position == std::exchange(told_position_, position) || position == 0) {
    return;
  }
  if (options_.view.output == Output::kText) {
    view_.Say(absl::StrCat("the task waits in the queue, at place ", position));
  }
}

void Follower::OnReset() {
  fold_.Restart();
  ready_ = false;
}

bool Follower::EndedWithoutEvent() const {
  const TaskStatus status = ToTaskState(task_).status;
  return HasEnded(status) && status != state().status &&
         task_.last_event_id() == last_shown_;
}

bool Follower::InputWaits() const {
  const TaskInput* const input = FindInput(state(), options_.input);
  return input != nullptr && input->receipt.state == Receipt::State::kQueued;
}

bool Follower::InputIsHeld() const {
  return InputWaits() && task_.queue_held() &&
         (task_.state() >= v1::Task::idle) &&
         task_.last_event_id() == last_shown_;
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
  absl::Status done;
  if (interrupts_ == 1) {
    view_.Say("interrupting the agent; Ctrl-C again stops it");
    v1::InterruptRequest request;
    request.set_reason("Ctrl-C");
    done = api_.Interrupt(task_.id(), request).status();
  } else if (interrupts_ == 2) {
    view_.Say("stopping the agent; Ctrl-C again leaves at once");
    v1::StopRequest request;
    request.set_reason("Ctrl-C");
    done = api_.Stop(task_.id(), request).status();
  } else if (!leave_) {
    leave_ = kExitInterrupted;
  }
  if (!done.ok()) view_.Say(Sanitized(done.message()));
}

int Follower::Leave() {
  view_.Finish();
  if (options_.ctrl_c == FollowOptions::CtrlC::kInterrupts) {
    const bool ends = state().ending.kind != Ending::Kind::kNone;
    view_.Say(
        absl::StrCat("leaving; ",
                     ends ? "see how it ends with: troika tail "
                          : "the agent continues, follow it with: troika tail ",
                     task_.id(), " -f"));
  }
  return *leave_;
}

int Follower::LeaveAnswered(int code) {
  view_.Prompt("");
  view_.Finish();
  if (code != kExitOk) view_.Say("nothing was answered");
  return code;
}

int Follower::Finish() {
  view_.Prompt("");
  view_.ShowWaiting(state());
  view_.Finish();
  if (absl::IsCancelled(view_.written())) return kExitOk;
  if (!view_.written().ok()) return Fail(io_, view_.written().message());
  if (EndedWithoutEvent()) {
    view_.Say(absl::StrCat("the task is ", v1::Task::State_Name(task_.state()),
                           task_.reason().empty() ? "" : ": ",
                           Sanitized(task_.reason())));
    return view_.ExitCode(ToTaskState(task_));
  }
  const TaskInput* const input = FindInput(state(), options_.input);
  if (InputIsHeld()) {
    view_.Say(absl::StrCat(options_.input,
                           " waits, because the turn was ended; send it with: "
                           "troika queue ",
                           task_.id(), " --resume"));
    return kExitFailure;
  }
  if (input != nullptr && input->receipt.state >= Receipt::State::kFailed) {
    view_.Say(absl::StrCat(options_.input, " was not delivered: ",
                           Sanitized(input->receipt.reason)));
    return input->receipt.state == Receipt::State::kFailed ? kExitFailure
                                                           : kExitCancelled;
  }
  const int code = view_.ExitCode(state());
  const bool quiet = options_.view.output == Output::kQuiet;
  if (quiet) PrintAnswer();
  if (options_.until == Until::kNow) return code;
  // A damaged log may have lost the turn.
  if (code == kExitOk && !state().result &&
      options_.ctrl_c == FollowOptions::CtrlC::kInterrupts) {
    view_.Say(absl::StrCat(
        "the task has ended without a result; see why with: troika log ",
        task_.id()));
    return kExitFailure;
  }
  if (quiet && code != kExitOk) PrintError();
  return code;
}

// Reads the answer from the task, because an event may have only its start.
void Follower::PrintAnswer() {
  const absl::StatusOr<v1::Task> task = api_.GetTask(task_.id());
  if (!task.ok()) return view_.Say(Sanitized(task.status().message()));
  const std::string& answer = task->result().text();
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
