#include "cli/timeline/task_view.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "cli/timeline/alert.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr size_t kMuch = size_t{1} << 18;
constexpr absl::string_view kEraseLine = "\r\x1b[K";

bool CanRedraw(const Environment& environment, int fd) {
  return isatty(fd) != 0 && environment.Get("TERM") != "dumb";
}

}  // namespace

Timeline::Color ColorFor(const ViewOptions& options,
                         const Environment& environment, int fd) {
  const bool wanted =
      options.color == ViewOptions::Color::kAlways ||
      (options.color == ViewOptions::Color::kAuto &&
       CanRedraw(environment, fd) && environment.Get("NO_COLOR").empty());
  return wanted ? Timeline::Color::kAlways : Timeline::Color::kNever;
}

bool IsAtWork(TaskStatus status) {
  return !HasEnded(status) && status != TaskStatus::kIdle;
}

std::string StatusLineNow(const Timeline& timeline, const TaskState& state,
                          Clock* clock) {
  clock->FollowRealTime();
  const absl::Time now = clock->Now();
  return timeline.StatusLine(
      state, now,
      static_cast<int>((now - absl::UnixEpoch()) / kStatusFrame % 10));
}

void ViewFlags::AddTo(Flags* flags) {
  flags->Add("json", &json_);
  flags->Add("full", &full_);
  flags->Add("color", &color_);
}

absl::StatusOr<ViewOptions::Color> ReadColor(absl::string_view value) {
  if (value == "auto") return ViewOptions::Color::kAuto;
  if (value == "always") return ViewOptions::Color::kAlways;
  if (value == "never") return ViewOptions::Color::kNever;
  return absl::InvalidArgumentError(
      absl::StrCat("--color ", value, " is not one of auto, always, never"));
}

absl::StatusOr<ViewOptions> ViewFlags::Options() const {
  ViewOptions options;
  if (json_) options.output = ViewOptions::Output::kJson;
  const absl::StatusOr<ViewOptions::Color> color = ReadColor(color_);
  if (!color.ok()) return color.status();
  options.color = *color;
  if (full_) options.detail = Timeline::Detail::kFull;
  return options;
}

TaskView::TaskView(const ViewOptions& options, const Environment& environment,
                   const Io& io, Clock* clock)
    : options_(options),
      io_(io),
      clock_(clock),
      terminal_(options.output == ViewOptions::Output::kText &&
                CanRedraw(environment, io.out)),
      timeline_({.color = ColorFor(options, environment, io.out),
                 .width = TerminalWidth(io.out),
                 .height = TerminalHeight(io.out),
                 .detail = options.detail}) {}

void TaskView::Add(const Message& message, const TaskState& state,
                   absl::string_view json) {
  if (const auto* event = std::get_if<Lifecycle>(&message.payload)) {
    if (event->kind == Lifecycle::Kind::kDeadline) deadline_passed_ = true;
    if (event->kind == Lifecycle::Kind::kTurnAsked) deadline_passed_ = false;
  }
  switch (options_.output) {
    case ViewOptions::Output::kQuiet:
      return;
    case ViewOptions::Output::kJson:
      // Within JSON a newline is only white space.
      absl::StrAppend(&buffer_, absl::StrReplaceAll(json, {{"\n", " "}}), "\n");
      break;
    case ViewOptions::Output::kText: {
      if (limited_) LimitToScreen();
      const std::string text = timeline_.Add(message, state);
      if (text.empty()) break;
      HideStatus();
      buffer_ += text;
      last_asked_ = timeline_.last_asked();
      break;
    }
  }
  if (buffer_.size() > kMuch) Write();
}

void TaskView::Flush(const TaskState& state) {
  const bool asks = pause_.PersonIsAsked(state, clock_->Awake());
  wake_at_ = pause_.wake_at();
  if (asks && !std::exchange(asked_, asks)) {
    Alert(absl::StrCat("the agent asks: ", SanitizedLine(state.title, 60)));
  }
  asked_ = asks;
  if (!prompt_.empty()) return Write();
  if (terminal_ && IsAtWork(state.status)) {
    wake_at_ = std::min(wake_at_, clock_->Awake() + kStatusFrame);
    if (!timeline_.line_open()) {
      timeline_.set_width(TerminalWidth(io_.out));
      std::string status = StatusLineNow(timeline_, state, clock_);
      if (status != status_shown_) {
        absl::StrAppend(&buffer_, kEraseLine, status);
      }
      status_shown_ = std::move(status);
    }
  } else {
    HideStatus();
  }
  Write();
}

void TaskView::Finish() {
  HideStatus();
  buffer_ += timeline_.EndLine();
  Write();
}

void TaskView::Say(absl::string_view text) {
  Finish();
  last_asked_.clear();
  Note(io_, text);
}

void TaskView::SayTrouble(absl::string_view trouble) {
  if (trouble == trouble_said_) return;
  Say(trouble.empty() ? "the log can be written again" : Sanitized(trouble));
  trouble_said_ = std::string(trouble);
}

void TaskView::ShowWaiting(const TaskState& state) {
  if (options_.output != ViewOptions::Output::kText) return;
  const std::string text = timeline_.WaitingTurn(state);
  if (!text.empty()) HideStatus();
  buffer_ += text;
}

void TaskView::Prompt(absl::string_view text) {
  if (text == prompt_) return;
  if (text.empty()) return EndPrompt();
  Finish();
  prompt_ = std::string(text);
  buffer_ += prompt_;
  Write();
}

void TaskView::Alert(absl::string_view text) {
  if (terminal_) absl::StrAppend(&buffer_, AlertBytes(text));
}

void TaskView::ErasePrompt() {
  if (prompt_.empty()) return;
  if (!terminal_) return EndPrompt();
  absl::StrAppend(&buffer_, kEraseLine);
  prompt_.clear();
}

void TaskView::ShowRows(const std::vector<std::string>& rows, Block block) {
  last_asked_.clear();
  if (block == Block::kNew) {
    HideStatus();
    buffer_ += timeline_.AddRows(rows);
  } else {
    for (const std::string& row : rows) absl::StrAppend(&buffer_, row, "\n");
  }
  Write();
}

void TaskView::LimitToScreen() {
  limited_ = true;
  timeline_.set_width(width());
  const size_t height = TerminalHeight(io_.out);
  timeline_.set_most_rows(height == 0           ? 0
                          : height > kRowsToAsk ? height - kRowsToAsk
                                                : 1);
}

size_t TaskView::width() const { return TerminalWidth(io_.out); }

void TaskView::EndPrompt() {
  if (!prompt_.empty()) buffer_ += '\n';
  prompt_.clear();
}

void TaskView::HideStatus() {
  EndPrompt();
  if (!status_shown_.empty()) absl::StrAppend(&buffer_, kEraseLine);
  status_shown_.clear();
}

void TaskView::Write() {
  if (written_.ok()) written_ = WriteAll(io_.out, buffer_);
  buffer_.clear();
}

int TaskView::ExitCode(const TaskState& state) const {
  switch (state.status) {
    case TaskStatus::kIdle:
    case TaskStatus::kDone:
      // The agent may be alive; what counts is how its turn ended.
      switch (state.outcome.value_or(TurnOutcome::kDone)) {
        case TurnOutcome::kDone:
          return kExitOk;
        case TurnOutcome::kDenied:
          return kExitDenied;
        case TurnOutcome::kInterrupted:
          return kExitInterrupted;
        case TurnOutcome::kFailed:
          break;
      }
      return deadline_passed_ ? kExitDeadline : kExitFailure;
    case TaskStatus::kFailed:
      return deadline_passed_ ? kExitDeadline : kExitFailure;
    case TaskStatus::kInterrupted:
      return kExitInterrupted;
    case TaskStatus::kCancelled:
      return kExitCancelled;
    default:
      return kExitOk;
  }
}

}  // namespace troika::cli
