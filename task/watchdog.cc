#include "task/watchdog.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "task/budget.h"

namespace troika {
namespace {

constexpr absl::Duration kCloseIdle = absl::Minutes(10);

// The handshake is quick; opening a session may read a long history.
constexpr absl::Duration kHandshakeTimeout = absl::Seconds(5);
constexpr absl::Duration kReplyTimeout = absl::Seconds(30);

// A deadline that is noticed later than that passed while the machine, or all
// of Troika, stood still.
constexpr absl::Duration kOverslept = absl::Seconds(5);
// Time for the agent to say something then.
constexpr absl::Duration kOversleptPatience = absl::Seconds(2);

absl::Time OurTime(const Alarm& alarm, const RelayClock& relay) {
  return relay.ToOurs(alarm.at).value_or(absl::InfiniteFuture());
}

bool Waits(TaskStatus status) {
  return status == TaskStatus::kAwaitingApproval ||
         status == TaskStatus::kAwaitingAnswer;
}

}  // namespace

notes::Timeouts WithDefaults(const notes::Timeouts& given) {
  return {.start = given.start.value_or(absl::Minutes(2)),
          .idle = given.idle.value_or(absl::Hours(1)),
          .turn = given.turn.value_or(absl::Hours(6)),
          .task = given.task.value_or(absl::Hours(24)),
          .approval = given.approval,
          .tool = given.tool};
}

std::string DeadlineName(Alarm::Kind kind, const TaskState& state) {
  static constexpr absl::string_view kNames[] = {
      "start", "idle", "turn", "task", "reply", "", "", "tool", ""};
  const absl::string_view name = kNames[static_cast<int>(kind)];
  return kind == Alarm::Kind::kReply
             ? absl::StrCat(state.waiting_for, " ", name)
             : std::string(name);
}

absl::Duration WorkLeft(const TaskState& state, const notes::Timeouts& given) {
  const absl::Duration timeout =
      given.task.value_or(*WithDefaults(state.timeouts).task);
  return std::max(timeout - state.worked, absl::ZeroDuration());
}

Alarm NextAlarm(const TaskState& state) {
  Alarm first;
  if (!state.process_alive || state.ending.kind != Ending::Kind::kNone) {
    return first;
  }
  const auto add = [&](Alarm::Kind kind, std::optional<absl::Time> since,
                       absl::Duration left, absl::Duration timeout) {
    if (since && *since + left < first.at)
      first = {kind, *since + left, timeout};
  };
  const auto add_whole = [&](Alarm::Kind kind, std::optional<absl::Time> since,
                             absl::Duration timeout) {
    add(kind, since, timeout, timeout);
  };
  const notes::Timeouts timeouts = WithDefaults(state.timeouts);
  const AwakeTimes& awake = state.awake;
  const auto last_word =
      awake.last_activity && awake.turn_started
          ? std::max(*awake.last_activity, *awake.turn_started)
          : awake.turn_started;
  const bool idle = state.status == TaskStatus::kIdle ||
                    (AsksForBudget(state) && !state.turn_open);
  if (state.status == TaskStatus::kStarting) {
    add_whole(Alarm::Kind::kStart, awake.turn_started, *timeouts.start);
  } else if (idle) {
    // Subagents in the background may ask something, so they get as much time
    // as a turn that is silent.
    if (!state.input_closed) {
      add_whole(Alarm::Kind::kCloseIdle, last_word,
                state.subagents.empty() ? kCloseIdle
                                        : std::max(kCloseIdle, *timeouts.idle));
    }
  } else if (!Waits(state.status)) {
    add_whole(Alarm::Kind::kIdle, last_word, *timeouts.idle);
  }
  if (!idle) {
    add_whole(Alarm::Kind::kTurn, awake.turn_started, *timeouts.turn);
  }
  if (!state.waiting_for.empty()) {
    add_whole(
        Alarm::Kind::kReply, awake.waiting_since,
        state.waiting_for == kHandshake ? kHandshakeTimeout : kReplyTimeout);
  }
  add(Alarm::Kind::kTask, awake.working_since, WorkLeft(state), *timeouts.task);
  if (const auto at = TimeBudgetAlarm(state)) {
    add(Alarm::Kind::kBudget, at, absl::ZeroDuration(), absl::ZeroDuration());
  }
  if (timeouts.tool) {
    for (const auto& [id, tool] : state.open_tools) {
      if (!tool.since) continue;
      const absl::Time at = *tool.since + *timeouts.tool - tool.ran;
      if (at >= first.at) continue;
      first = {.kind = Alarm::Kind::kTool,
               .at = at,
               .timeout = *timeouts.tool,
               .tool = tool.name};
    }
  }
  if (!timeouts.approval) return first;
  for (const auto& [id, pending] : state.approvals) {
    if (pending.answered || !pending.awake_since ||
        pending.request.kind == Approval::Kind::kBudget) {
      continue;
    }
    const absl::Time at = *pending.awake_since + *timeouts.approval;
    if (at < first.at)
      first = {Alarm::Kind::kApproval, at, *timeouts.approval, id};
  }
  return first;
}

std::optional<Alarm> Watchdog::Check(const TaskState& state,
                                     const RelayClock& relay, absl::Time now) {
  const std::optional<absl::Time> checked = checked_;
  Skip(now);
  const Alarm alarm = NextAlarm(state);
  const absl::Time at = OurTime(alarm, relay);
  if (now < at) return std::nullopt;
  if (checked && *checked < at && now - at > kOverslept) {
    overslept_until_ = now + kOversleptPatience;
  }
  if (overslept_until_) return std::nullopt;
  return alarm;
}

void Watchdog::Skip(absl::Time now) {
  checked_ = now;
  if (overslept_until_ && now >= *overslept_until_) overslept_until_.reset();
}

absl::Time Watchdog::wake_at(const TaskState& state,
                             const RelayClock& relay) const {
  const absl::Time alarm = OurTime(NextAlarm(state), relay);
  absl::Time at = absl::InfiniteFuture();
  if (!checked_ || alarm > *checked_) at = alarm;
  if (overslept_until_) at = std::min(at, *overslept_until_);
  if (turn_end_) at = std::min(at, *turn_end_);
  return at;
}

bool Watchdog::TurnEndIsOverdue(const TaskState& state, absl::Time now) {
  if (!state.turn_open) turn_end_.reset();
  if (!turn_end_ || now < *turn_end_) return false;
  turn_end_.reset();
  return true;
}

}  // namespace troika
