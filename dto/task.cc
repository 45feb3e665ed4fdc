#include "dto/task.h"

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/harness.h"
#include "agent/message.h"
#include "base/json.h"
#include "dto/proto_fields.h"
#include "dto/request.h"

namespace troika {
namespace {

std::string Utf8(absl::string_view text) { return json::ToValidUtf8(text); }

// The .proto has one before all others: state_unspecified.
v1::Task::State ToState(TaskStatus status) {
  return static_cast<v1::Task::State>(static_cast<int>(status) + 1);
}

TaskStatus FromState(v1::Task::State state) {
  const bool known = state > v1::Task::state_unspecified &&
                     state <= ToState(TaskStatus::kCancelled);
  return known ? static_cast<TaskStatus>(static_cast<int>(state) - 1)
               : TaskStatus::kQueued;
}

void SetTime(const std::optional<absl::Time>& time,
             google::protobuf::Timestamp* (v1::Task::*field)(),
             v1::Task* task) {
  if (time) *(task->*field)() = ToProto(*time);
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
  task->set_edit_mode(ToEditMode(mode.value_or(EditMode::kResearch)));
  if (task->model().empty()) task->set_model(Utf8(model));
}

void SetResult(const Result& result, v1::Task* task) {
  FieldsToProto(result, task->mutable_result());
  task->mutable_result()->clear_usage();
}

void AddPending(const TaskState& state, v1::Task* task) {
  for (const auto& [id, pending] : state.approvals) {
    v1::Approval& approval = *task->add_approvals();
    FieldsToProto(pending.request, &approval);
    approval.set_event_id(EventIdText(pending.asked));
  }
  for (const auto& [id, pending] : state.questions) {
    v1::Question& question = *task->add_questions();
    FieldsToProto(pending.request, &question);
    question.set_event_id(EventIdText(pending.asked));
  }
}

void SetTimes(const TaskState& state, v1::Task* task) {
  SetTime(state.created, &v1::Task::mutable_created_at, task);
  SetTime(state.started, &v1::Task::mutable_started_at, task);
  SetTime(state.ended, &v1::Task::mutable_ended_at, task);
  SetTime(state.last_activity, &v1::Task::mutable_last_activity_at, task);
  if (state.worked > absl::ZeroDuration()) {
    *task->mutable_worked() = ToProto(state.worked);
  }
}

EventId IdOf(absl::string_view text) {
  return ParseEventId(text).value_or(EventId());
}

void ReadPending(const v1::Task& task, TaskState* state) {
  for (const v1::Approval& one : task.approvals()) {
    Pending<Approval>& pending = state->approvals[one.id()];
    pending = {.asked = IdOf(one.event_id())};
    FieldsFromProto(one, &pending.request);
  }
  for (const v1::Question& one : task.questions()) {
    Pending<Question>& pending = state->questions[one.id()];
    pending = {.asked = IdOf(one.event_id())};
    FieldsFromProto(one, &pending.request);
  }
}

}  // namespace

v1::Task ToTask(const TaskState& state, const TaskFacts& facts) {
  v1::Task task;
  task.set_id(Utf8(state.task));
  task.set_state(ToState(state.status));
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
  FieldsToProto(Usage{.total = state.usage,
                      .total_cost = {state.cost_usd, state.cost_source}},
                task.mutable_usage());
  SetTimes(state, &task);
  AddPending(state, &task);
  task.set_last_event_id(Utf8(facts.last_event_id));
  task.set_trouble(Utf8(facts.trouble));
  task.set_parent_id(Utf8(facts.parent_id));
  if (facts.queue_position) task.set_queue_position(*facts.queue_position);
  if (facts.request != nullptr) task.set_prompt(Utf8(facts.request->prompt));
  if (state.timeouts != notes::Timeouts()) {
    *task.mutable_timeouts() = ToTimeouts(state.timeouts);
  }
  SetAsked(facts, &task);
  return task;
}

TaskState IdentityOf(const v1::Task& task) {
  TaskState state;
  state.task = task.id();
  state.harness = HarnessFromId(task.harness());
  state.cwd = task.cwd();
  state.title = task.title();
  state.labels = {task.labels().begin(), task.labels().end()};
  return state;
}

TaskState ToTaskState(const v1::Task& task) {
  TaskState state = IdentityOf(task);
  state.status = FromState(task.state());
  state.session_id = task.session_id();
  state.model = task.model();
  state.version = task.version();
  state.turns = task.turns();
  state.process_alive =
      !HasEnded(state.status) && state.status != TaskStatus::kQueued;
  state.turn_open = state.process_alive && state.status != TaskStatus::kIdle;
  FieldsFromProto(task.usage().total(), &state.usage);
  ReadPending(task, &state);
  return state;
}

}  // namespace troika
