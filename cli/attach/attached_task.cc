#include "cli/attach/attached_task.h"

#include <poll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"
#include "client/autostart.h"

namespace troika::cli {
namespace {

// The user waits no longer for a server that hangs.
constexpr absl::Duration kCommandTimeout = absl::Seconds(10);
// After this, the user is told that the server does not answer.
constexpr absl::Duration kSlowAnswer = absl::Seconds(2);

std::string Painted(absl::string_view code, absl::string_view text,
                    Timeline::Color color) {
  if (color == Timeline::Color::kNever) return std::string(text);
  return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
}

}  // namespace

std::string MessageSign(Timeline::Color color) {
  return Painted("36", "❯ ", color);
}

AttachedTask::AttachedTask(const v1::Task& task, const AttachOptions& options,
                           Console* console, const Io& io)
    : start_(client::Starter(
          options.address, options.environment,
          [this](absl::string_view notice) {
            requests_.Post([this, text = std::string(notice)] { Say(text); });
          })),
      help_(options.help),
      color_(ColorFor(options.view, options.environment, io.out)),
      console_(*console),
      requests_(options.address, {.start = start_, .timeout = kCommandTimeout},
                &clock_),
      starter_(&requests_, start_),
      api_(options.address, {.start = starter_.Function()}),
      timeline_({.color = color_,
                 .width = TerminalWidth(io.out),
                 .height = TerminalHeight(io.out)}),
      payloads_(&api_, task.id()),
      feed_(&api_, task,
            {.clock = &clock_,
             .read_event =
                 [this](const std::string& event, TaskFeedOptions::Done done) {
                   requests_.Ask(
                       [task = id(), event](client::ApiClient& api) {
                         return api.GetEvent(task, event);
                       },
                       std::move(done));
                 }},
            this) {}

int AttachedTask::Run() {
  Say(absl::StrCat("attached to task ", id(),
                   ": Ctrl-] detaches, /help says more"));
  while (!leave_) {
    Advance();
    if (feed_.ready()) UpdateDialog();
    SendInputs();
    if (std::string problem = console_.TakeProblem(); !problem.empty()) {
      Say(Sanitized(problem));
    }
    Draw();
    if (!console_.written().ok()) Leave(kExitFailure);
    if (leave_) break;
    Pause();
    for (const int signal : signals_.Take()) OnSignal(signal);
  }
  if (*leave_ == kExitOk) SendLast();
  // So that Up gets it back.
  console_.Remember(dialog_.MessageIn(console_.editor().text()));
  return *leave_;
}

void AttachedTask::Advance() {
  const absl::Status advanced = feed_.Advance();
  if (absl::IsUnavailable(advanced)) {
    if (!std::exchange(told_gone_, true)) {
      Say(absl::StrCat(Sanitized(advanced.message()), "; trying again"));
    }
    feed_.Reconnect();
    interrupted_ = true;
  } else if (!advanced.ok()) {
    Leave(kExitFailure, std::string(advanced.message()));
  } else if (feed_.ended()) {
    Leave(kExitFailure, "the task was deleted");
  }
  if (feed_.interrupted()) interrupted_ = true;
}

void AttachedTask::OnReady() {
  told_gone_ = false;
  if (!std::exchange(interrupted_, false)) return;
  Say("the server was gone; connected again");
  outbox_.RetryNow();
}

void AttachedTask::OnEvent(const FedEvent& event) {
  if (event.whole) payloads_.Remember(event.message);
  console_.screen().Print(timeline_.Add(event.message, state()));
}

void AttachedTask::OnTask(const v1::Task& task) {
  if (task.trouble() != trouble_) {
    trouble_ = task.trouble();
    Say(trouble_.empty() ? "the log can be written again"
                         : Sanitized(trouble_));
  }
  const int position =
      task.state() == v1::Task::queued ? task.queue_position() : 0;
  if (position == std::exchange(position_, position) || position == 0) return;
  Say(absl::StrCat("the task waits in the queue, at place ", position));
}

void AttachedTask::OnProblem(absl::string_view text) { Say(Sanitized(text)); }

void AttachedTask::Say(absl::string_view text) {
  console_.screen().Print(
      absl::StrCat(timeline_.EndLine(),
                   Painted("2", absl::StrCat("troika: ", text), color_), "\n"));
}

void AttachedTask::UpdateDialog() {
  Apply(dialog_.Update(state(), console_.editor().text(), clock_.Awake()));
  if (dialog_.asked() == presented_) return;
  presented_ = dialog_.asked();
  if (presented_.empty()) return;
  const std::string event = payloads_.EventToRead(state(), presented_);
  if (event.empty()) {
    return Present(payloads_.Take(state(), presented_, NoEvent()));
  }
  requests_.Ask(
      [task = id(), event](client::ApiClient& api) {
        return api.GetEvent(task, event);
      },
      [this, asked = presented_](absl::StatusOr<Message> whole) {
        if (presented_ != asked) return;  // It was answered meanwhile.
        Present(payloads_.Take(state(), asked, std::move(whole)));
      });
}

void AttachedTask::Present(const Asked& asked) {
  const size_t width = console_.screen().columns();
  const std::vector<std::string> rows = RowsOf(asked, timeline_, width);
  if (timeline_.last_asked() != presented_ || !asked.problem.empty()) {
    console_.screen().Print(timeline_.AddRows(rows));
  }
  std::string statement = StatementOf(asked.payload, width);
  const bool fits = rows.size() + kRowsToAsk <= console_.screen().rows();
  if (!fits && !statement.empty()) {
    absl::StrAppend(&statement,
                    "\nit is longer than the screen: scroll up to read it");
  }
  dialog_.Describe(std::move(statement), fits && asked.problem.empty()
                                             ? Asker::Seen::kAll
                                             : Asker::Seen::kPart);
}

void AttachedTask::Draw() {
  InputArea area;
  const size_t width = console_.screen().columns();
  if (interrupted_) {
    area.above.push_back("there is no server; connecting again");
  } else if (const absl::Duration waited =
                 clock_.Awake() - requests_.waiting_since();
             waited >= kSlowAnswer) {
    area.above.push_back(absl::StrCat(
        "the server has not answered for ", absl::ToInt64Seconds(waited),
        " s; you can type on, or detach with Ctrl-]"));
  } else if (IsAtWork(state().status)) {
    area.above.push_back(StatusLineNow(timeline_, state(), &clock_));
  } else if (feed_.ready() && HasEnded(state().status)) {
    area.above.push_back(Painted(
        "2", "the agent has ended; a message continues the conversation",
        color_));
  }
  for (const std::string& line : dialog_.Explanation()) {
    for (const std::string& row : WrapToWidth(line, width - 1)) {
      area.above.push_back(Painted("33", row, color_));
    }
  }
  area.sign =
      dialog_.answers() ? Painted("33", "? ", color_) : MessageSign(color_);
  console_.Draw(std::move(area));
}

void AttachedTask::Pause() {
  std::vector<pollfd> fds = feed_.PollFds();
  fds.push_back({.fd = signals_.fd(), .events = POLLIN});
  fds.push_back(requests_.PollFd());
  fds.push_back(console_.PollFd());
  absl::Time wake_at =
      std::min({feed_.wake_at(), outbox_.retry_at(), console_.wake_at()});
  if (IsAtWork(state().status) || !requests_.idle()) {
    wake_at = std::min(wake_at, clock_.Awake() + kStatusFrame);
  }
  Wait(&fds, wake_at, clock_);
  requests_.RunDone();
  const absl::StatusOr<std::vector<Key>> keys =
      console_.ReadKeys(fds.back().revents, clock_.Awake());
  if (!keys.ok()) return Leave(kExitFailure);
  for (const Key& key : *keys) {
    if (leave_) return;
    OnKey(key);
  }
}

void AttachedTask::OnSignal(int signal) {
  if (!console_.OnSignal(signal)) return Leave(kExitSignal + signal);
  timeline_.set_width(console_.screen().columns());
}

void AttachedTask::OnKey(const Key& key) {
  if (console_.Edit(key)) return;
  LineEditor& editor = console_.editor();
  const std::string line = editor.text();
  const absl::Time now = clock_.Awake();
  switch (key.kind) {
    case Key::Kind::kEnter: {
      Dialog::Step step = dialog_.OnEnter(line, now);
      const UserAction::Kind kind = step.action.kind;
      if (kind != UserAction::Kind::kNone &&
          kind != UserAction::Kind::kRespond) {
        console_.Remember(line);
      }
      return Apply(std::move(step));
    }
    case Key::Kind::kCtrlC:
      return Apply(dialog_.OnCtrlC(line,
                                   IsAtWork(state().status)
                                       ? Dialog::Agent::kWorks
                                       : Dialog::Agent::kRests,
                                   now));
    case Key::Kind::kTab:
      return Apply(dialog_.OnTab(line));
    case Key::Kind::kCtrlD:
      if (!line.empty()) return editor.Press("\x04");
      return Leave(kExitOk);
    case Key::Kind::kDetach:
      return Leave(kExitOk);
    default:
      return;
  }
}

void AttachedTask::Apply(Dialog::Step step) {
  if (step.line) console_.editor().Set(*step.line);
  if (!step.say.empty()) Say(Sanitized(step.say));
  Act(step.action);
}

void AttachedTask::Leave(int code, std::string why) {
  if (leave_) return;
  leave_ = code;
  why_ = std::move(why);
}

std::string AttachedTask::Farewell() {
  std::string text = Sanitized(why_);
  if (!outbox_.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : "; ", outbox_.size(),
                    outbox_.size() == 1 ? " input was" : " inputs were",
                    " not sent, because the server does not answer: Up gets "
                    "back what you typed");
  }
  if (!text.empty() && *leave_ != kExitOk) return text;
  return absl::StrCat(text, text.empty() ? "" : "; ",
                      HasEnded(state().status)
                          ? "detached; continue the conversation with: "
                          : "detached; the task goes on, come back with: ",
                      "troika attach ", id());
}

}  // namespace troika::cli
