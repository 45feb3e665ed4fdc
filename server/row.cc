#include "server/row.h"

#include <string>
#include <utility>

#include "absl/time/time.h"
#include "dto/proto_json.h"
#include "server/event_file.h"
#include "server/text.h"

namespace troika {
namespace {

constexpr size_t kMaxListedText = size_t{2} << 10;
constexpr size_t kMaxSearchedPrompt = size_t{16} << 10;

int64_t Micros(const std::optional<absl::Time>& time) {
  return time ? absl::ToUnixMicros(*time) : 0;
}

void Encode(const v1::Task& task, TaskRow* row) {
  row->state = v1::Task::State_Name(task.state());
  row->task_json = ToJson(ForList(task));
  row->task_pb = task.SerializeAsString();
}

}  // namespace

v1::Task ForList(v1::Task task) {
  task.clear_prompt();
  if (task.has_result()) {
    CutText(kMaxListedText, task.mutable_result()->mutable_text());
  }
  return task;
}

TaskRow RowOf(const ActiveTask& active) {
  const TaskState& state = active.state();
  const v1::Task task = active.Describe();
  TaskRow row = {.id = active.id(),
                 .harness = task.harness(),
                 .cwd = task.cwd(),
                 .title = task.title(),
                 .prompt = task.prompt(),
                 .model = task.model(),
                 .parent_id = task.parent_id(),
                 .labels = {task.labels().begin(), task.labels().end()},
                 .ended = HasEnded(state.status),
                 .created_us = Micros(state.created),
                 .started_us = Micros(state.started),
                 .ended_us = Micros(state.ended),
                 .last_record = state.last_record,
                 .log_bytes = active.log_bytes(),
                 .parser_version = kParserVersion,
                 .input_tokens = state.usage.input,
                 .cached_tokens = state.usage.cached,
                 .cache_write_tokens = state.usage.cache_write,
                 .output_tokens = state.usage.output,
                 .reasoning_tokens = state.usage.reasoning,
                 .cost_usd = state.cost_usd};
  if (const notes::Request* request = active.request()) {
    row.idempotency_key = request->idempotency_key;
  }
  CutText(kMaxSearchedPrompt, &row.prompt);
  if (!active.failure().ok()) row.ended = true;
  Encode(task, &row);
  return row;
}

TaskRow LostRow(TaskRow row, absl::string_view reason) {
  v1::Task task;
  // What is no task any more leaves the id.
  if (!task.ParseFromString(row.task_pb)) task.Clear();
  task.set_id(row.id);
  task.set_state(v1::Task::failed);
  task.set_reason(std::string(reason));
  row.ended = true;
  Encode(task, &row);
  return row;
}

}  // namespace troika
