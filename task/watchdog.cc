#include "task/watchdog.h"

#include "absl/time/time.h"

namespace troika {
namespace {

constexpr int64_t kMinute = 60000;
constexpr int64_t kCloseIdleMs = 10 * kMinute;

bool Waits(TaskStatus status) {
  return status == TaskStatus::kAwaitingApproval ||
         status == TaskStatus::kAwaitingAnswer;
}

}  // namespace

notes::Timeouts WithDefaults(const notes::Timeouts& given) {
  return {.start_ms = given.start_ms.value_or(2 * kMinute),
          .idle_ms = given.idle_ms.value_or(60 * kMinute),
          .turn_ms = given.turn_ms.value_or(6 * 60 * kMinute),
          .task_ms = given.task_ms.value_or(24 * 60 * kMinute)};
}

absl::string_view DeadlineName(Alarm::Kind kind) {
  switch (kind) {
    case Alarm::Kind::kStart:
      return "start";
    case Alarm::Kind::kIdle:
      return "idle";
    case Alarm::Kind::kTurn:
      return "turn";
    case Alarm::Kind::kTask:
      return "task";
    case Alarm::Kind::kCloseIdle:
      break;
  }
  return "";
}

std::optional<Alarm> Watchdog::Next(const TaskState& state) const {
  if (!state.process_alive || state.ending.kind != Ending::Kind::kNone) {
    return std::nullopt;
  }
  std::optional<Alarm> first;
  const auto add = [&](Alarm::Kind kind, std::optional<absl::Time> since,
                       int64_t after_ms) {
    // 0: never.
    if (!since || after_ms <= 0) return;
    const Alarm alarm = {kind, absl::ToUnixMicros(*since) + after_ms * 1000,
                         after_ms};
    if (!first || alarm.at_micros < first->at_micros) first = alarm;
  };
  const auto last_word =
      state.last_activity && state.turn_started
          ? std::max(*state.last_activity, *state.turn_started)
          : state.turn_started;
  if (state.status == TaskStatus::kStarting) {
    add(Alarm::Kind::kStart, state.turn_started, *timeouts_.start_ms);
  } else if (state.status == TaskStatus::kIdle) {
    if (!state.input_closed) {
      add(Alarm::Kind::kCloseIdle, last_word, kCloseIdleMs);
    }
  } else if (!Waits(state.status)) {
    add(Alarm::Kind::kIdle, last_word, *timeouts_.idle_ms);
  }
  if (state.status != TaskStatus::kIdle) {
    add(Alarm::Kind::kTurn, state.turn_started, *timeouts_.turn_ms);
  }
  add(Alarm::Kind::kTask, state.created, *timeouts_.task_ms);
  return first;
}

}  // namespace troika
