#include "cli/task_fold.h"

#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "agent/harness.h"
#include "base/status_macros.h"
#include "dto/json.h"
#include "dto/proto_json.h"
#include "task/reduce.h"

namespace troika::cli {
namespace {

TaskStatus StatusOf(v1::Task::State state) {
  switch (state) {
    case v1::Task::starting:
      return TaskStatus::kStarting;
    case v1::Task::running:
      return TaskStatus::kRunning;
    case v1::Task::awaiting_approval:
      return TaskStatus::kAwaitingApproval;
    case v1::Task::awaiting_answer:
      return TaskStatus::kAwaitingAnswer;
    case v1::Task::idle:
      return TaskStatus::kIdle;
    case v1::Task::done:
      return TaskStatus::kDone;
    case v1::Task::failed:
      return TaskStatus::kFailed;
    case v1::Task::interrupted:
      return TaskStatus::kInterrupted;
    case v1::Task::cancelled:
      return TaskStatus::kCancelled;
    default:
      return TaskStatus::kQueued;
  }
}

TaskState Identity(const v1::Task& task) {
  TaskState state;
  state.task = task.id();
  state.harness = HarnessFromId(task.harness());
  state.cwd = task.cwd();
  state.title = task.title();
  state.labels = {task.labels().begin(), task.labels().end()};
  return state;
}

EventId EventIdOf(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('.', 1));
  EventId id;
  if (!absl::SimpleAtoi(parts.first, &id.record) ||
      !absl::SimpleAtoi(parts.second, &id.index)) {
    return {};
  }
  return id;
}

void FillPending(const v1::Task& task, TaskState* state) {
  for (const v1::Approval& one : task.approvals()) {
    state->approvals[one.id()] = {
        .asked = EventIdOf(one.event_id()),
        .tool_use_id = one.tool_use_id(),
        .tool_name = one.tool_name(),
        .input_json = one.has_input() ? ToJson(one.input()) : "",
        .reason = one.reason()};
  }
  for (const v1::Question& one : task.questions()) {
    PendingQuestion& question = state->questions[one.id()];
    question = {.asked = EventIdOf(one.event_id()),
                .tool_use_id = one.tool_use_id()};
    for (const v1::Question::Item& item : one.items()) {
      question.items.push_back(
          {.header = item.header(),
           .text = item.text(),
           .options = {item.options().begin(), item.options().end()},
           .multi_select = item.multi_select()});
    }
  }
}

// As much as messages that come after it, and who shows them, can need.
void Fill(const v1::Task& task, TaskState* state) {
  state->status = StatusOf(task.state());
  state->session_id = task.session_id();
  state->model = task.model();
  state->version = task.version();
  state->turns = task.turns();
  state->process_alive =
      !HasEnded(state->status) && state->status != TaskStatus::kQueued;
  state->turn_open = state->process_alive && state->status != TaskStatus::kIdle;
  const v1::TokenCounts& total = task.usage().total();
  state->usage = {.input = total.input_tokens(),
                  .cached = total.cached_input_tokens(),
                  .cache_write = total.cache_write_input_tokens(),
                  .output = total.output_tokens(),
                  .reasoning = total.reasoning_output_tokens()};
  FillPending(task, state);
}

}  // namespace

TaskFold::TaskFold(const v1::Task& task, From from)
    : start_(Identity(task)), state_(start_) {
  if (from == From::kTask) Fill(task, &state_);
}

absl::StatusOr<Message> TaskFold::Take(absl::string_view json) {
  ASSIGN_OR_RETURN(const json::Value event, parser_.Parse(json));
  ASSIGN_OR_RETURN(Message message, ReadEvent(event));
  was_cut_ = event.Get("cut").size() > 0;
  Reduce(message, &state_);
  return message;
}

void TaskFold::Restart() { state_ = start_; }

}  // namespace troika::cli
