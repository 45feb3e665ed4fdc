#include "task/watchdog.h"

#include <algorithm>

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

absl::Duration WorkLeft(const TaskState& state, const notes::Timeouts& given) {
  notes::Timeouts timeouts = state.timeouts;
  if (given.task_ms) timeouts.task_ms = given.task_ms;
  const int64_t task_ms = *WithDefaults(timeouts).task_ms;
  if (task_ms <= 0) return absl::InfiniteDuration();  // 0: no deadline.
  return std::max(absl::Milliseconds(task_ms) - state.worked,
                  absl::ZeroDuration());
}

std::optional<Alarm> NextAlarm(const TaskState& state) {
  if (!state.process_alive || state.ending.kind != Ending::Kind::kNone) {
    return std::nullopt;
  }
  const notes::Timeouts timeouts = WithDefaults(state.timeouts);
  std::optional<Alarm> first;
  const auto add = [&](Alarm::Kind kind, std::optional<absl::Time> since,
                       absl::Duration after, int64_t after_ms) {
    // 0: never.
    if (!since || after_ms <= 0) return;
    const Alarm alarm = {kind, *since + after, after_ms};
    if (!first || alarm.at < first->at) first = alarm;
  };
  const auto add_ms = [&](Alarm::Kind kind, std::optional<absl::Time> since,
                          int64_t after_ms) {
    add(kind, since, absl::Milliseconds(after_ms), after_ms);
  };
  const AwakeTimes& awake = state.awake;
  const auto last_word =
      awake.last_activity && awake.turn_started
          ? std::max(*awake.last_activity, *awake.turn_started)
          : awake.turn_started;
  if (state.status == TaskStatus::kStarting) {
    add_ms(Alarm::Kind::kStart, awake.turn_started, *timeouts.start_ms);
  } else if (state.status == TaskStatus::kIdle) {
    if (!state.input_closed) {
      add_ms(Alarm::Kind::kCloseIdle, last_word, kCloseIdleMs);
    }
  } else if (!Waits(state.status)) {
    add_ms(Alarm::Kind::kIdle, last_word, *timeouts.idle_ms);
  }
  if (state.status != TaskStatus::kIdle) {
    add_ms(Alarm::Kind::kTurn, awake.turn_started, *timeouts.turn_ms);
  }
  add(Alarm::Kind::kTask, awake.working_since, WorkLeft(state),
      *timeouts.task_ms);
  return first;
}

}  // namespace troika
