#include "dto/task.h"

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "base/json.h"
#include "dto/event.h"
#include "dto/time.h"

namespace troika {
namespace {

std::string Utf8(absl::string_view text) { return json::ToValidUtf8(text); }

void SetTime(const std::optional<absl::Time>& time,
             google::protobuf::Timestamp* (v1::Task::*field)(),
             v1::Task* task) {
  if (!time) return;
  const SecondsAndNanos split = SplitTime(*time);
  google::protobuf::Timestamp& to = *(task->*field)();
  to.set_seconds(split.seconds);
  to.set_nanos(split.nanos);
}

void SetDuration(absl::Duration duration, google::protobuf::Duration* to) {
  const SecondsAndNanos split = SplitDuration(duration);
  to->set_seconds(split.seconds);
  to->set_nanos(split.nanos);
}

void SetTimeout(const std::optional<absl::Duration>& timeout,
                google::protobuf::Duration* (v1::Timeouts::*field)(),
                v1::Timeouts* timeouts) {
  if (!timeout) return;
  // No timeout at all is shown as 0.
  SetDuration(
      *timeout == absl::InfiniteDuration() ? absl::ZeroDuration() : *timeout,
      (timeouts->*field)());
}

void SetTimeouts(const notes::Timeouts& asked, v1::Task* task) {
  if (asked == notes::Timeouts()) return;
  v1::Timeouts& timeouts = *task->mutable_timeouts();
  SetTimeout(asked.start, &v1::Timeouts::mutable_start, &timeouts);
  SetTimeout(asked.idle, &v1::Timeouts::mutable_idle, &timeouts);
  SetTimeout(asked.turn, &v1::Timeouts::mutable_turn, &timeouts);
  SetTimeout(asked.task, &v1::Timeouts::mutable_task, &timeouts);
}

void SetAsked(const TaskFacts& facts, v1::Task* task) {
  std::optional<EditMode> mode = facts.edit_mode;
  std::string model = facts.asked_model;
  if (facts.request != nullptr && (!mode || model.empty())) {
    const LaunchOptions& options = facts.request->options;
    if (!mode) {
      mode =
          options.dangerously_bypass ? EditMode::kDangerous : options.edit_mode;
    }
    if (model.empty()) model = options.model;
  }
  task->set_edit_mode(
      static_cast<v1::EditMode>(mode.value_or(EditMode::kResearch)));
  if (task->model().empty()) task->set_model(Utf8(model));
}

// The mapping of payloads is dto/describe.h's, and so are their strings.
v1::Event EventOf(Payload payload, EventId id = {}) {
  Message message;
  message.id = id;
  message.payload = std::move(payload);
  return ToEvent(message, "");
}

void SetResult(const TurnResult& result, v1::Task* task) {
  v1::Event event = EventOf(Result{.is_error = result.is_error,
                                   .error = result.error,
                                   .hint = result.hint,
                                   .text = result.text,
                                   .reason = result.reason,
                                   .duration = result.duration,
                                   .synthetic = result.synthetic});
  *task->mutable_result() = std::move(*event.mutable_result());
  task->mutable_result()->clear_usage();
}

void SetUsage(const TaskState& state, v1::Task* task) {
  v1::Event event = EventOf(Usage{
      .total = state.usage, .total_cost = {state.cost_usd, state.cost_source}});
  *task->mutable_usage() = std::move(*event.mutable_usage());
}

void AddPending(const TaskState& state, v1::Task* task) {
  for (const auto& [id, pending] : state.approvals) {
    v1::Event event = EventOf(Approval{.id = id,
                                       .tool_use_id = pending.tool_use_id,
                                       .tool_name = pending.tool_name,
                                       .input_json = pending.input_json,
                                       .reason = pending.reason},
                              pending.asked);
    event.mutable_approval()->set_event_id(event.id());
    *task->add_approvals() = std::move(*event.mutable_approval());
  }
  for (const auto& [id, pending] : state.questions) {
    Question question{.id = id, .tool_use_id = pending.tool_use_id};
    for (const PendingQuestion::Item& item : pending.items) {
      question.items.push_back({.header = item.header,
                                .text = item.text,
                                .options = item.options,
                                .multi_select = item.multi_select});
    }
    v1::Event event = EventOf(std::move(question), pending.asked);
    event.mutable_question()->set_event_id(event.id());
    *task->add_questions() = std::move(*event.mutable_question());
  }
}

void SetTimes(const TaskState& state, v1::Task* task) {
  SetTime(state.created, &v1::Task::mutable_created_at, task);
  SetTime(state.started, &v1::Task::mutable_started_at, task);
  SetTime(state.ended, &v1::Task::mutable_ended_at, task);
  SetTime(state.last_activity, &v1::Task::mutable_last_activity_at, task);
  if (state.worked > absl::ZeroDuration()) {
    SetDuration(state.worked, task->mutable_worked());
  }
}

}  // namespace

v1::Task ToTask(const TaskState& state, const TaskFacts& facts) {
  v1::Task task;
  task.set_id(Utf8(state.task));
  // The .proto has one before them: state_unspecified.
  task.set_state(
      static_cast<v1::Task::State>(static_cast<int>(state.status) + 1));
  if (state.harness) {
    task.set_harness(std::string(HarnessId(*state.harness)));
  } else if (facts.request != nullptr) {
    task.set_harness(Utf8(facts.request->harness));
  }
  task.set_title(Utf8(state.title));
  task.set_cwd(Utf8(state.cwd));
  task.set_model(Utf8(state.model));
  for (const auto& [key, value] : state.labels) {
    (*task.mutable_labels())[Utf8(key)] = Utf8(value);
  }
  task.set_session_id(Utf8(state.session_id));
  task.set_version(Utf8(state.version));
  task.set_turns(state.turns);
  task.set_reason(Utf8(state.error.empty() ? state.ending.text : state.error));
  task.set_hint(Utf8(state.hint));
  if (state.exit_code) task.set_exit_code(*state.exit_code);
  if (state.signal) task.set_signal(*state.signal);
  if (state.result) SetResult(*state.result, &task);
  SetUsage(state, &task);
  SetTimes(state, &task);
  AddPending(state, &task);
  task.set_last_event_id(Utf8(facts.last_event_id));
  task.set_trouble(Utf8(facts.trouble));
  task.set_parent_id(Utf8(facts.parent_id));
  if (facts.queue_position) task.set_queue_position(*facts.queue_position);
  if (facts.request != nullptr) task.set_prompt(Utf8(facts.request->prompt));
  SetTimeouts(state.timeouts, &task);
  SetAsked(facts, &task);
  return task;
}

}  // namespace troika
