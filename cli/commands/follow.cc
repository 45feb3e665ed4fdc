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
#include "cli/commands/task_fold.h"
#include "cli/signals.h"
#include "cli/timeline/terminal_text.h"
#include "cli/wait.h"
#include "client/event_stream.h"
#include "dto/proto_json.h"

namespace troika::cli {
namespace {

using Output = ViewOptions::Output;

// For a server that hangs: Ctrl-C does not wait for long.
constexpr absl::Duration kCommandTimeout = absl::Seconds(10);

constexpr absl::Duration kLostPatience = absl::Seconds(3);

std::string PathOf(const v1::Task& task) {
  return client::TaskPath(task.id(), "/events");
}

// Whether the timeline shows all of the message. It shows a part of the others.
bool IsShownWhole(const Message& message) {
  return std::holds_alternative<Text>(message.payload) ||
         std::holds_alternative<Result>(message.payload) ||
         std::holds_alternative<Approval>(message.payload) ||
         std::holds_alternative<Question>(message.payload) ||
         std::holds_alternative<Notice>(message.payload) ||
         std::holds_alternative<Lifecycle>(message.payload);
}

class Follower {
 public:
  Follower(Server* server, const v1::Task& task, const FollowOptions& options,
           const Io& io)
      : options_(options),
        io_(io),
        id_(task.id()),
        api_(server->api.address(), {.start = server->api.options().start,
                                     .timeout = kCommandTimeout}),
        fold_(task, options.show == FollowOptions::Show::kAll
                        ? TaskFold::From::kStart
                        : TaskFold::From::kTask),
        view_(options.view, server->environment, io, &clock_),
        stream_(server->api.address(), PathOf(task),
                {.clock = &clock_,
                 .start = server->api.options().start,
                 .after = options.show == FollowOptions::Show::kAll
                              ? ""
                              : task.last_event_id()}),
        answering_(&api_, id_, &view_, io,
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
  // The message with nothing cut. Where that can't be had: as it is, and says
  // so.
  void Complete(const std::string& event, Message* message);
  // Nothing more comes by itself.
  bool Rests() const;
  // Whether something waits that the user is to answer.
  bool Waits() const;
  void Pause();
  void TellThatServerIsGone();
  void OnSignal(int signal);
  void OnCtrlC();
  int Leave();
  int LeaveAnswered(int code);
  int Finish();
  void PrintAnswer();
  void TellError();

  const FollowOptions options_;
  const Io io_;
  const std::string id_;
  SystemClock clock_;
  client::ApiClient api_;  // For commands, while the stream goes on.
  TaskFold fold_;
  TaskView view_;
  client::EventStream stream_;
  Answering answering_;
  Signals signals_;
  std::optional<int> leave_;      // The exit code.
  std::optional<EventId> shown_;  // The last event.
  bool ready_ = false;            // All of the past has come.
  // Set while the server is gone.
  std::optional<absl::Time> lost_since_;
  bool told_lost_ = false;
  int told_place_ = 0;  // In the queue.
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
    // A reader that leaves is no error to tell anybody. The agent goes on.
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
  TellThatServerIsGone();
}

// One that is back in a moment is nobody's concern.
void Follower::TellThatServerIsGone() {
  const absl::Time now = clock_.Awake();
  if (!stream_.interrupted()) {
    lost_since_.reset();
  } else if (!lost_since_) {
    lost_since_ = now;
  } else if (now - *lost_since_ > kLostPatience &&
             !std::exchange(told_lost_, true)) {
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
    if (std::exchange(told_lost_, false)) view_.Say("connected again");
  }
}

void Follower::OnMessage(const client::SseEvent& event) {
  absl::StatusOr<Message> message = fold_.Take(event.data);
  if (!message.ok()) {
    view_.Say(absl::StrCat("an event can't be read: ",
                           Harmless(message.status().message())));
    return;
  }
  // After a reset they come again.
  if (shown_ && message->id <= *shown_) return;
  shown_ = message->id;
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
  absl::StatusOr<Message> whole = api_.GetExactEvent(id_, event);
  if (whole.ok()) {
    *message = *std::move(whole);
    answering_.Remember(*message);
    return;
  }
  view_.Say(absl::StrCat("event ", event,
                         " is incomplete, as the whole of it can't be read: ",
                         Harmless(whole.status().message())));
}

void Follower::OnTask(const std::string& json) {
  v1::Task task;
  if (!FromJson(json, &task, UnknownFields::kIgnore).ok()) return;
  view_.SayTrouble(task.trouble());
  const int place =
      task.state() == v1::Task::queued ? task.queue_position() : 0;
  if (place == std::exchange(told_place_, place) || place == 0) return;
  if (options_.view.output == Output::kText) {
    view_.Say(absl::StrCat("the task waits in the queue, at place ", place));
  }
}

void Follower::OnReset() {
  fold_.Restart();
  ready_ = false;
}

bool Follower::Rests() const {
  if (state().turns < options_.turns) return false;
  if (HasEnded(state().status)) return true;
  // An agent that gets no more input ends by itself, in a moment.
  return state().status == TaskStatus::kIdle && !state().input_closed;
}

bool Follower::Waits() const {
  const std::string& id = options_.asked;
  if (id.empty()) {
    return !state().approvals.empty() || !state().questions.empty();
  }
  return state().approvals.contains(id) || state().questions.contains(id);
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
    done = api_.Interrupt(id_, request).status();
  } else if (interrupts_ == 2) {
    view_.Say("stopping the agent; Ctrl-C again leaves it to its end");
    v1::StopRequest request;
    request.set_reason("Ctrl-C");
    done = api_.Stop(id_, request).status();
  } else if (!leave_) {
    leave_ = kExitInterrupted;
  }
  if (!done.ok()) view_.Say(Harmless(done.message()));
}

int Follower::Leave() {
  view_.Finish();
  if (options_.ctrl_c == FollowOptions::CtrlC::kInterrupts) {
    const bool ends = state().ending.kind != Ending::Kind::kNone;
    view_.Say(
        absl::StrCat("leaving; ",
                     ends ? "see how it ends with: troika tail "
                          : "the agent goes on, follow it with: troika tail ",
                     id_, " -f"));
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
  const int code = view_.ExitCode(state());
  const bool quiet = options_.view.output == Output::kQuiet;
  if (quiet) PrintAnswer();
  if (options_.until == Until::kNow) return code;
  // A log that was damaged may have lost the turn.
  if (code == kExitOk && !state().result &&
      options_.ctrl_c == FollowOptions::CtrlC::kInterrupts) {
    view_.Say(absl::StrCat(
        "the task is over and has no result; see why with: troika log ", id_));
    return kExitFailure;
  }
  if (quiet && code != kExitOk) TellError();
  return code;
}

// Of the task, as an event may have only the start of it.
void Follower::PrintAnswer() {
  const absl::StatusOr<v1::Task> task = api_.GetTask(id_);
  if (!task.ok()) return view_.Say(Harmless(task.status().message()));
  const std::string& answer = task->result().text();
  if (answer.empty()) return;
  // Programs get it as it is.
  const bool exact = isatty(io_.out) == 0;
  Print(io_, absl::StrCat(exact ? answer : Harmless(answer),
                          answer.back() == '\n' ? "" : "\n"));
}

void Follower::TellError() {
  view_.Say(state().error.empty() ? std::string(TaskStatusId(state().status))
                                  : Harmless(state().error));
  if (!state().hint.empty()) {
    view_.Say(absl::StrCat("hint: ", Harmless(state().hint)));
  }
}

}  // namespace

int Follow(Server& server, const v1::Task& task, const FollowOptions& options,
           const Io& io) {
  return Follower(&server, task, options, io).Run();
}

}  // namespace troika::cli
