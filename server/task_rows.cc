#include "server/task_rows.h"

#include <utility>

#include "absl/time/time.h"
#include "base/utf8.h"
#include "dto/proto_json.h"
#include "dto/task.h"
#include "server/day_budget.h"
#include "server/event_file.h"
#include "server/secrets.h"
#include "task/document.h"
#include "task/inputs.h"

namespace troika {
namespace {

constexpr size_t kMaxListedText = size_t{2} << 10;

void CutText(size_t max_bytes, std::string* text) {
  text->resize(CutAtCharacter(*text, max_bytes).size());
}

// `task` is without long texts.
void Encode(const v1::Task& task, TaskRow* row) {
  row->state = v1::Task::State_Name(task.state());
  row->task_json = ToJson(task);
  row->task_pb = task.SerializeAsString();
}

// The task as lists show it, as far as the row knows it.
v1::Task ListedTask(const TaskRow& row) {
  v1::Task task;
  if (!task.ParseFromString(row.task_pb)) task.Clear();
  task.set_id(row.id);
  return task;
}

}  // namespace

v1::Task DescribeTask(const TaskReading& reading, const Redactor& redactor) {
  const TaskState& state = *reading.state;
  v1::Task task = ToTask(state, {.last_event_id = reading.last_event_id,
                                 .trouble = reading.trouble,
                                 .request = reading.request,
                                 .redactor = &redactor});
  if (task.trouble().empty()) task.set_trouble(redactor.problem());
  RedactTexts(redactor, &task);
  return task;
}

TaskRow RowOf(const TaskReading& reading, const v1::Task& task) {
  const TaskState& state = *reading.state;
  TaskRow row = {.id = task.id(),
                 .harness = task.harness(),
                 .cwd = task.cwd(),
                 .title = task.title(),
                 .prompt = task.prompt(),
                 .result_text = task.result().text(),
                 .model = task.model(),
                 .session_id = task.session_id(),
                 .parent_id = task.parent_id(),
                 .labels = {task.labels().begin(), task.labels().end()},
                 // A task whose inputs are to be sent goes on, and so does one
                 // whose document is not written.
                 .ended = HasEnded(state.status) && !NextInput(state) &&
                          !DocumentIsDue(state),
                 .created_at = state.created,
                 .started_at = state.started,
                 .ended_at = state.ended,
                 .last_record = state.last_record,
                 .log_bytes = reading.log_bytes,
                 .parser_version = kParserVersion,
                 .input_tokens = state.usage.input,
                 .cached_tokens = state.usage.cached,
                 .cache_write_tokens = state.usage.cache_write,
                 .output_tokens = state.usage.output,
                 .reasoning_tokens = state.usage.reasoning,
                 .cost_usd = state.cost_usd};
  for (const SpentSlot& spent : state.budget.spent) {
    row.spent.push_back({.slot = spent.slot,
                         .tokens = spent.tokens,
                         .cost_microusd = spent.cost_microusd});
  }
  if (reading.request != nullptr) {
    row.idempotency_key = reading.request->idempotency_key;
  }
  v1::Task listed = task;
  listed.clear_prompt();
  listed.clear_answered();
  listed.clear_policy();
  if (listed.has_result()) {
    CutText(kMaxListedText, listed.mutable_result()->mutable_text());
  }
  for (v1::Receipt& input : *listed.mutable_inputs()) {
    CutText(kMaxListedText, input.mutable_text());
  }
  Encode(listed, &row);
  return row;
}

std::optional<v1::Task> TaskOf(const TaskRow& row) {
  v1::Task task;
  if (!task.ParseFromString(row.task_pb)) return std::nullopt;
  task.set_prompt(row.prompt);
  if (task.has_result()) task.mutable_result()->set_text(row.result_text);
  return task;
}

bool MayPass(const absl::Status& error) {
  switch (error.code()) {
    case absl::StatusCode::kOk:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kUnimplemented:
      return false;
    default:
      return true;
  }
}

TaskRow LostRow(TaskRow row, absl::string_view reason) {
  v1::Task task = ListedTask(row);
  task.set_state(v1::Task::failed);
  task.set_reason(std::string(reason));
  task.clear_trouble();
  row.ended = true;
  Encode(task, &row);
  return row;
}

TaskRow TroubledRow(TaskRow row, absl::string_view trouble) {
  v1::Task task = ListedTask(row);
  task.set_trouble(std::string(trouble));
  row.ended = false;
  // Whatever the log says, the row is to be computed again.
  row.log_bytes = -1;
  Encode(task, &row);
  return row;
}

void TaskRows::Write(TaskRow row) {
  tools_.changes->Add(row.id, row.task_json);
  if (tools_.day_budget != nullptr) tools_.day_budget->Add(row.id, row.spent);
  tools_.index->Put({std::move(row)});
}

void TaskRows::Put(TaskRow row) {
  troubles_.erase(row.id);
  const auto changing = changing_.find(row.id);
  if (changing != changing_.end()) changing->second.is_outdated = true;
  Write(std::move(row));
}

void TaskRows::Change(const std::string& id,
                      absl::AnyInvocable<TaskRow(TaskRow)> change) {
  ++changing_[id].count;
  tools_.index->Ask<TaskRow>(
      [id](BufferedTaskStore& store) -> absl::StatusOr<TaskRow> {
        // A row that can't be read leaves the id.
        auto row = store.Get(id);
        if (row.ok() && *row) return **std::move(row);
        return TaskRow{.id = id};
      },
      [this, id,
       change = std::move(change)](absl::StatusOr<TaskRow> row) mutable {
        const auto changing = changing_.find(id);
        const bool is_outdated = changing->second.is_outdated;
        if (--changing->second.count == 0) changing_.erase(changing);
        if (!row.ok() || is_outdated || is_open_(id)) return;
        Write(change(*std::move(row)));
      });
}

void TaskRows::PutLost(const std::string& id, const absl::Status& error) {
  troubles_.erase(id);
  Change(id, [error](TaskRow row) {
    return LostRow(std::move(row), error.message());
  });
}

void TaskRows::PutTrouble(const std::string& id, const absl::Status& error) {
  std::string& trouble = troubles_[id];
  if (trouble == error.message()) return;
  trouble = std::string(error.message());
  Change(id, [error](TaskRow row) {
    return TroubledRow(std::move(row), error.message());
  });
}

void TaskRows::Remove(const std::string& id) {
  troubles_.erase(id);
  tools_.changes->AddGone(id);
  tools_.index->Remove({id});
}

}  // namespace troika
