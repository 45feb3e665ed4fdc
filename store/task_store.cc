#include "store/task_store.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/schema.h"

namespace troika {
namespace {

constexpr char kPutTask[] = R"sql(
INSERT INTO task (id, state, harness, cwd, title, model, parent_id,
  idempotency_key, ended, created_us, started_us, ended_us, last_record,
  log_bytes, parser_version, input_tokens, cached_tokens, cache_write_tokens,
  output_tokens, reasoning_tokens, cost_usd)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
  state = excluded.state, harness = excluded.harness, cwd = excluded.cwd,
  title = excluded.title, model = excluded.model,
  parent_id = excluded.parent_id,
  idempotency_key = excluded.idempotency_key, ended = excluded.ended,
  created_us = excluded.created_us, started_us = excluded.started_us,
  ended_us = excluded.ended_us, last_record = excluded.last_record,
  log_bytes = excluded.log_bytes, parser_version = excluded.parser_version,
  input_tokens = excluded.input_tokens,
  cached_tokens = excluded.cached_tokens,
  cache_write_tokens = excluded.cache_write_tokens,
  output_tokens = excluded.output_tokens,
  reasoning_tokens = excluded.reasoning_tokens, cost_usd = excluded.cost_usd
RETURNING num)sql";

// For most changes, which touch no indexed column: rewriting the indexes would
// triple the cost.
constexpr char kUpdateTask[] = R"sql(
UPDATE task SET title = ?, model = ?, parent_id = ?, started_us = ?,
  last_record = ?, log_bytes = ?, parser_version = ?, input_tokens = ?,
  cached_tokens = ?, cache_write_tokens = ?, output_tokens = ?,
  reasoning_tokens = ?, cost_usd = ?
WHERE id = ? AND +state = ? AND +harness = ? AND +cwd = ?
  AND +idempotency_key = ? AND +ended = ? AND +created_us = ?
  AND +ended_us = ?
RETURNING num)sql";

// Selects the columns of kPutTask, in its order, and the long texts.
constexpr char kGetTask[] = R"sql(
SELECT id, state, harness, cwd, title, model, parent_id, idempotency_key,
  ended, created_us, started_us, ended_us, last_record, log_bytes,
  parser_version, input_tokens, cached_tokens, cache_write_tokens,
  output_tokens, reasoning_tokens, cost_usd, shown.json, shown.pb,
  long_text.prompt, long_text.result
FROM task JOIN shown USING (num) JOIN long_text USING (num) WHERE id = ?)sql";

// A column holds 0 if the time is not set.
int64_t Micros(const std::optional<absl::Time>& time) {
  return time ? absl::ToUnixMicros(*time) : 0;
}

void BindCounts(const TaskRow& row, Statement* put) {
  put->Bind(row.last_record).Bind(row.log_bytes);
  put->Bind(int64_t{row.parser_version});
  put->Bind(row.input_tokens).Bind(row.cached_tokens);
  put->Bind(row.cache_write_tokens).Bind(row.output_tokens);
  put->Bind(row.reasoning_tokens);
  // SQLite stores NaN as NULL, which the column does not allow.
  put->BindReal(row.cost_usd == row.cost_usd ? row.cost_usd : 0);
}

void BindPut(const TaskRow& row, Statement* put) {
  put->Bind(row.id).Bind(row.state).Bind(row.harness).Bind(row.cwd);
  put->Bind(row.title).Bind(row.model).Bind(row.parent_id);
  put->Bind(row.idempotency_key).Bind(int64_t{row.ended});
  put->Bind(Micros(row.created_at)).Bind(Micros(row.started_at));
  put->Bind(Micros(row.ended_at));
  BindCounts(row, put);
}

void BindUpdate(const TaskRow& row, Statement* update) {
  update->Bind(row.title).Bind(row.model).Bind(row.parent_id);
  update->Bind(Micros(row.started_at));
  BindCounts(row, update);
  update->Bind(row.id).Bind(row.state).Bind(row.harness).Bind(row.cwd);
  update->Bind(row.idempotency_key).Bind(int64_t{row.ended});
  update->Bind(Micros(row.created_at)).Bind(Micros(row.ended_at));
}

TaskRow ReadTask(const Statement& get) {
  int i = 0;
  TaskRow row;
  for (std::string* text :
       {&row.id, &row.state, &row.harness, &row.cwd, &row.title, &row.model,
        &row.parent_id, &row.idempotency_key}) {
    *text = get.Text(i++);
  }
  row.ended = get.Int(i++) != 0;
  for (auto* time : {&row.created_at, &row.started_at, &row.ended_at}) {
    const int64_t micros = get.Int(i++);
    if (micros != 0) *time = absl::FromUnixMicros(micros);
  }
  row.last_record = get.Int(i++);
  row.log_bytes = get.Int(i++);
  row.parser_version = static_cast<int>(get.Int(i++));
  for (int64_t* number :
       {&row.input_tokens, &row.cached_tokens, &row.cache_write_tokens,
        &row.output_tokens, &row.reasoning_tokens}) {
    *number = get.Int(i++);
  }
  row.cost_usd = get.Real(i++);
  row.task_json = get.Text(i++);
  row.task_pb = get.Text(i++);
  row.prompt = get.Text(i++);
  row.result_text = get.Text(i++);
  return row;
}

}  // namespace

absl::StatusOr<TaskStore> TaskStore::Open(const std::string& path) {
  ASSIGN_OR_RETURN(OpenedIndex index, OpenIndex(path));
  TaskStore store(std::move(index.db));
  store.repaired_ = std::move(index.repaired);
  store.trouble_ = std::move(index.trouble);
  store.shared_ = index.sharing == OpenedIndex::Sharing::kShared;
  return store;
}

absl::StatusOr<TaskStore> TaskStore::OpenAnew(const std::string& path,
                                              absl::string_view damage) {
  ASSIGN_OR_RETURN(std::string repaired, MoveIndexAside(path, damage));
  ASSIGN_OR_RETURN(TaskStore store, Open(path));
  store.repaired_ = std::move(repaired);
  return store;
}

absl::StatusOr<TaskStore> TaskStore::OpenReader(const std::string& path) {
  ASSIGN_OR_RETURN(Database db, OpenIndexReader(path));
  return TaskStore(std::move(db));
}

absl::Status TaskStore::Check() { return CheckIndex(&db_); }

absl::Status TaskStore::Put(absl::Span<const TaskRow> rows) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(&db_));
  for (const TaskRow& row : rows) {
    const absl::Status status = PutRow(row);
    if (absl::IsAlreadyExists(status)) {
      return absl::AlreadyExistsError(absl::StrCat(
          "index task ", row.id,
          ": another task has its idempotency key; take another key"));
    }
    RETURN_IF_ERROR(status);
  }
  return transaction.Commit();
}

absl::StatusOr<int64_t> TaskStore::PutTask(const TaskRow& row) {
  ASSIGN_OR_RETURN(Statement update, db_.Prepare(kUpdateTask));
  BindUpdate(row, &update);
  ASSIGN_OR_RETURN(const bool updated, update.Step());
  if (updated) return update.Int(0);
  ASSIGN_OR_RETURN(Statement put, db_.Prepare(kPutTask));
  BindPut(row, &put);
  ASSIGN_OR_RETURN(const bool returned, put.Step());
  if (!returned) return absl::InternalError("a row that has no number");
  return put.Int(0);
}

absl::Status TaskStore::PutRow(const TaskRow& row) {
  ASSIGN_OR_RETURN(const int64_t num, PutTask(row));
  {
    ASSIGN_OR_RETURN(Statement put,
                     db_.Prepare("INSERT INTO shown VALUES (?, ?, ?) "
                                 "ON CONFLICT (num) DO UPDATE SET "
                                 "json = excluded.json, pb = excluded.pb"));
    put.Bind(num).Bind(row.task_json).BindBlob(row.task_pb);
    RETURN_IF_ERROR(put.Run());
  }
  {
    // The long texts seldom change.
    ASSIGN_OR_RETURN(
        Statement put,
        db_.Prepare("INSERT INTO long_text VALUES (?, ?, ?) "
                    "ON CONFLICT (num) DO UPDATE SET "
                    "prompt = excluded.prompt, result = excluded.result "
                    "WHERE prompt <> excluded.prompt "
                    "OR result <> excluded.result"));
    put.Bind(num).Bind(row.prompt).Bind(row.result_text);
    RETURN_IF_ERROR(put.Run());
  }
  return PutLabels(row);
}

absl::StatusOr<std::map<std::string, std::string>> TaskStore::Labels(
    absl::string_view id) {
  ASSIGN_OR_RETURN(Statement get,
                   db_.Prepare("SELECT key, value FROM label WHERE id = ?"));
  get.Bind(id);
  std::map<std::string, std::string> labels;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, get.Step());
    if (!row) return labels;
    labels[get.Text(0)] = get.Text(1);
  }
}

absl::Status TaskStore::PutLabels(const TaskRow& row) {
  ASSIGN_OR_RETURN(const auto before, Labels(row.id));
  if (before == row.labels) return absl::OkStatus();
  {
    ASSIGN_OR_RETURN(Statement remove,
                     db_.Prepare("DELETE FROM label WHERE id = ?"));
    RETURN_IF_ERROR(remove.Bind(row.id).Run());
  }
  for (const auto& [key, value] : row.labels) {
    ASSIGN_OR_RETURN(
        Statement add,
        db_.Prepare("INSERT INTO label (id, key, value) VALUES (?, ?, ?)"));
    RETURN_IF_ERROR(add.Bind(row.id).Bind(key).Bind(value).Run());
  }
  return absl::OkStatus();
}

absl::Status TaskStore::Remove(absl::Span<const std::string> ids) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(&db_));
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(Statement remove,
                     db_.Prepare("DELETE FROM task WHERE id = ?"));
    RETURN_IF_ERROR(remove.Bind(id).Run());
  }
  return transaction.Commit();
}

absl::StatusOr<std::optional<TaskRow>> TaskStore::Get(absl::string_view id) {
  std::optional<TaskRow> row;
  {
    ASSIGN_OR_RETURN(Statement get, db_.Prepare(kGetTask));
    get.Bind(id);
    ASSIGN_OR_RETURN(const bool found, get.Step());
    if (!found) return row;
    row = ReadTask(get);
  }
  ASSIGN_OR_RETURN(row->labels, Labels(id));
  return row;
}

}  // namespace troika
