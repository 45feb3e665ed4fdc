#include "store/task_store.h"

#include <algorithm>
#include <concepts>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace troika {
namespace {

// A column of the table `task`.
template <typename T>
struct Column {
  constexpr Column(const char* name, T TaskRow::*member, bool indexed = false)
      : name(name), member(member), indexed(indexed) {}

  const char* name;
  T TaskRow::*member;
  bool indexed;  // Whether an index, or the table's key, has it.
};

constexpr auto kColumns =
    std::tuple{Column("id", &TaskRow::id, true),
               Column("state", &TaskRow::state, true),
               Column("harness", &TaskRow::harness, true),
               Column("cwd", &TaskRow::cwd, true),
               Column("title", &TaskRow::title),
               Column("model", &TaskRow::model),
               Column("session_id", &TaskRow::session_id, true),
               Column("parent_id", &TaskRow::parent_id),
               Column("idempotency_key", &TaskRow::idempotency_key, true),
               Column("ended", &TaskRow::ended, true),
               Column("created_us", &TaskRow::created_at, true),
               Column("started_us", &TaskRow::started_at),
               Column("ended_us", &TaskRow::ended_at, true),
               Column("last_record", &TaskRow::last_record),
               Column("log_bytes", &TaskRow::log_bytes),
               Column("parser_version", &TaskRow::parser_version),
               Column("input_tokens", &TaskRow::input_tokens),
               Column("cached_tokens", &TaskRow::cached_tokens),
               Column("cache_write_tokens", &TaskRow::cache_write_tokens),
               Column("output_tokens", &TaskRow::output_tokens),
               Column("reasoning_tokens", &TaskRow::reasoning_tokens),
               Column("cost_usd", &TaskRow::cost_usd)};

template <typename Function>
void ForEachColumn(const Function& function) {
  std::apply([&](const auto&... columns) { (function(columns), ...); },
             kColumns);
}

SqlValue ToValue(const std::string& text) { return absl::string_view(text); }
template <std::integral Integer>
SqlValue ToValue(Integer number) {
  return int64_t{number};
}
// SQLite stores NaN as NULL, which the column does not allow.
SqlValue ToValue(double number) { return number == number ? number : 0.0; }

// A column holds 0 if the time is not set.
SqlValue ToValue(const std::optional<absl::Time>& time) {
  return time ? absl::ToUnixMicros(*time) : int64_t{0};
}

void Read(const SqlRow& row, int i, std::string* out) { *out = row.Text(i); }
void Read(const SqlRow& row, int i, double* out) { *out = row.Real(i); }
void Read(const SqlRow& row, int i, std::optional<absl::Time>* out) {
  const int64_t micros = row.Int(i);
  if (micros != 0) *out = absl::FromUnixMicros(micros);
}
template <std::integral Integer>
void Read(const SqlRow& row, int i, Integer* out) {
  *out = static_cast<Integer>(row.Int(i));
}

struct TaskSql {
  std::string put;
  // For most changes, which touch no indexed column: rewriting the indexes
  // would triple the cost. Finds no row if an indexed column has changed.
  std::string update;
  std::string get;
};

TaskSql MakeTaskSql() {
  std::vector<std::string> names, marks, replaced, set, same;
  ForEachColumn([&](const auto& column) {
    names.push_back(column.name);
    marks.push_back("?");
    replaced.push_back(absl::StrCat(column.name, " = excluded.", column.name));
    if (column.indexed) {
      // The plus keeps SQLite from looking the row up by this column.
      same.push_back(
          absl::StrCat(same.empty() ? "" : "+", column.name, " = ?"));
    } else {
      set.push_back(absl::StrCat(column.name, " = ?"));
    }
  });
  const std::string all = absl::StrJoin(names, ", ");
  return {
      .put = absl::StrCat("INSERT INTO task (", all, ") VALUES (",
                          absl::StrJoin(marks, ", "),
                          ") ON CONFLICT (id) DO UPDATE SET ",
                          absl::StrJoin(replaced, ", "), " RETURNING num"),
      .update =
          absl::StrCat("UPDATE task SET ", absl::StrJoin(set, ", "), " WHERE ",
                       absl::StrJoin(same, " AND "), " RETURNING num"),
      .get = absl::StrCat("SELECT ", all,
                          ", shown.json, shown.pb, long_text.prompt, "
                          "long_text.result FROM task JOIN shown USING (num) "
                          "JOIN long_text USING (num) WHERE id = ?")};
}

const TaskSql& Sql() {
  static const auto* const kSql = new TaskSql(MakeTaskSql());
  return *kSql;
}

TaskRow ReadTask(const SqlRow& from) {
  TaskRow row;
  int i = 0;
  ForEachColumn(
      [&](const auto& column) { Read(from, i++, &(row.*column.member)); });
  for (std::string* text :
       {&row.task_json, &row.task_pb, &row.prompt, &row.result_text}) {
    *text = from.Text(i++);
  }
  return row;
}

// Returns the first text after all that begin with `prefix`, or "" if there is
// none.
std::string AfterPrefix(absl::string_view prefix) {
  std::string after(prefix);
  while (!after.empty() && after.back() == '\xff') after.pop_back();
  if (!after.empty()) ++after.back();
  return after;
}

}  // namespace

absl::StatusOr<TaskStore> TaskStore::Open(const std::string& path) {
  ASSIGN_OR_RETURN(OpenedIndex index, OpenIndex(path));
  return TaskStore(std::move(index));
}

absl::StatusOr<TaskStore> TaskStore::Recreate(const std::string& path,
                                              absl::string_view damage) {
  ASSIGN_OR_RETURN(std::string repaired, MoveIndexAside(path, damage));
  ASSIGN_OR_RETURN(OpenedIndex index, OpenIndex(path));
  index.repaired = std::move(repaired);
  return TaskStore(std::move(index));
}

absl::StatusOr<TaskStore> TaskStore::OpenReader(const std::string& path) {
  ASSIGN_OR_RETURN(Database db, OpenIndexReader(path));
  return TaskStore(OpenedIndex{.db = std::move(db)});
}

absl::Status TaskStore::Check() { return CheckIndex(&index_.db); }

absl::Status TaskStore::Put(absl::Span<const TaskRow> rows) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(&index_.db));
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
  std::vector<SqlValue> all, set, same;
  ForEachColumn([&](const auto& column) {
    all.push_back(ToValue(row.*column.member));
    (column.indexed ? same : set).push_back(all.back());
  });
  set.insert(set.end(), same.begin(), same.end());
  std::optional<int64_t> num;
  const auto read = [&](const SqlRow& put) { num = put.Int(0); };
  RETURN_IF_ERROR(index_.db.Run(Sql().update, set, read));
  if (!num) RETURN_IF_ERROR(index_.db.Run(Sql().put, all, read));
  if (!num) return absl::InternalError("a row that has no number");
  return *num;
}

absl::Status TaskStore::PutRow(const TaskRow& row) {
  ASSIGN_OR_RETURN(const int64_t num, PutTask(row));
  RETURN_IF_ERROR(index_.db.Run(
      "INSERT INTO shown VALUES (?, ?, ?) ON CONFLICT (num) DO UPDATE SET "
      "json = excluded.json, pb = excluded.pb",
      {num, row.task_json, Blob{row.task_pb}}));
  // The long texts seldom change.
  RETURN_IF_ERROR(index_.db.Run(
      "INSERT INTO long_text VALUES (?, ?, ?) ON CONFLICT (num) DO UPDATE SET "
      "prompt = excluded.prompt, result = excluded.result "
      "WHERE prompt <> excluded.prompt OR result <> excluded.result",
      {num, row.prompt, row.result_text}));
  for (const SpentInSlot& spent : row.spent) {
    RETURN_IF_ERROR(index_.db.Run(
        "INSERT INTO spent VALUES (?, ?, ?, ?) ON CONFLICT (slot, id) DO "
        "UPDATE "
        "SET tokens = excluded.tokens, cost_microusd = excluded.cost_microusd "
        "WHERE tokens <> excluded.tokens "
        "OR cost_microusd <> excluded.cost_microusd",
        {spent.slot, row.id, spent.tokens, spent.cost_microusd}));
  }
  return PutLabels(row);
}

absl::StatusOr<std::vector<TaskStore::Spent>> TaskStore::TakeSpent(
    int64_t first_slot) {
  std::vector<Spent> all;
  RETURN_IF_ERROR(
      index_.db.Run("DELETE FROM spent WHERE slot < ?", {first_slot}));
  RETURN_IF_ERROR(
      index_.db.Run("SELECT id, slot, tokens, cost_microusd FROM spent", {},
                    [&](const SqlRow& row) {
                      all.push_back({.id = row.Text(0),
                                     .amount = {.slot = row.Int(1),
                                                .tokens = row.Int(2),
                                                .cost_microusd = row.Int(3)}});
                    }));
  return all;
}

absl::StatusOr<std::map<std::string, std::string>> TaskStore::Labels(
    absl::string_view id) {
  std::map<std::string, std::string> labels;
  RETURN_IF_ERROR(index_.db.Run(
      "SELECT key, value FROM label WHERE id = ?", {id},
      [&](const SqlRow& row) { labels[row.Text(0)] = row.Text(1); }));
  return labels;
}

absl::Status TaskStore::PutLabels(const TaskRow& row) {
  ASSIGN_OR_RETURN(const auto before, Labels(row.id));
  if (before == row.labels) return absl::OkStatus();
  RETURN_IF_ERROR(index_.db.Run("DELETE FROM label WHERE id = ?", {row.id}));
  for (const auto& [key, value] : row.labels) {
    RETURN_IF_ERROR(
        index_.db.Run("INSERT INTO label (id, key, value) VALUES (?, ?, ?)",
                      {row.id, key, value}));
  }
  return absl::OkStatus();
}

absl::Status TaskStore::Remove(absl::Span<const std::string> ids) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(&index_.db));
  for (const std::string& id : ids) {
    RETURN_IF_ERROR(index_.db.Run("DELETE FROM task WHERE id = ?", {id}));
  }
  return transaction.Commit();
}

absl::StatusOr<std::optional<TaskRow>> TaskStore::Get(absl::string_view id) {
  std::optional<TaskRow> row;
  RETURN_IF_ERROR(index_.db.Run(
      Sql().get, {id}, [&](const SqlRow& got) { row = ReadTask(got); }));
  if (!row) return row;
  ASSIGN_OR_RETURN(row->labels, Labels(id));
  return row;
}

absl::StatusOr<std::vector<TaskStore::Entry>> TaskStore::Entries(
    absl::string_view after_id, int limit) {
  std::vector<Entry> entries;
  RETURN_IF_ERROR(index_.db.Run(
      "SELECT id, ended, log_bytes, parser_version FROM task "
      "WHERE id > ? ORDER BY id LIMIT ?",
      {after_id, int64_t{limit}}, [&](const SqlRow& row) {
        entries.push_back({.id = row.Text(0),
                           .ended = row.Int(1) != 0,
                           .log_bytes = row.Int(2),
                           .parser_version = static_cast<int>(row.Int(3))});
      }));
  return entries;
}

absl::StatusOr<std::vector<std::string>> TaskStore::Ids(
    const std::string& sql, absl::Span<const SqlValue> values) {
  std::vector<std::string> ids;
  RETURN_IF_ERROR(index_.db.Run(
      sql, values, [&](const SqlRow& row) { ids.push_back(row.Text(0)); }));
  return ids;
}

absl::StatusOr<std::vector<std::string>> TaskStore::NotEnded() {
  return Ids("SELECT id FROM task WHERE ended = 0 ORDER BY id", {});
}

absl::StatusOr<std::vector<std::string>> TaskStore::WithPrefix(
    absl::string_view prefix, int limit) {
  const std::string after = AfterPrefix(prefix);
  if (after.empty()) {
    return Ids("SELECT id FROM task WHERE id >= ? ORDER BY id DESC LIMIT ?",
               {prefix, int64_t{limit}});
  }
  return Ids(
      "SELECT id FROM task WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?",
      {prefix, after, int64_t{limit}});
}

absl::StatusOr<std::string> TaskStore::ByIdempotencyKey(absl::string_view key) {
  // The second condition lets SQLite use the index, which has no empty keys.
  ASSIGN_OR_RETURN(const std::vector<std::string> ids,
                   Ids("SELECT id FROM task WHERE idempotency_key = ? "
                       "AND idempotency_key <> ''",
                       {key}));
  if (ids.empty()) {
    return absl::NotFoundError("no task has this idempotency key");
  }
  return ids[0];
}

absl::StatusOr<std::vector<TaskStore::SessionTask>> TaskStore::WithSessions(
    absl::Span<const std::string> session_ids) {
  std::vector<SessionTask> tasks;
  for (const std::string& session_id : session_ids) {
    // The second condition lets SQLite use the index, which has no empty ids.
    RETURN_IF_ERROR(index_.db.Run(
        "SELECT id, harness, ended FROM task WHERE session_id = ? "
        "AND session_id <> ''",
        {session_id}, [&](const SqlRow& row) {
          tasks.push_back({.id = row.Text(0),
                           .harness = row.Text(1),
                           .session_id = session_id,
                           .ended = row.Int(2) != 0});
        }));
  }
  std::sort(
      tasks.begin(), tasks.end(),
      [](const SessionTask& a, const SessionTask& b) { return a.id > b.id; });
  return tasks;
}

absl::StatusOr<std::vector<TaskStore::Folder>> TaskStore::Folders(int limit) {
  std::vector<Folder> folders;
  RETURN_IF_ERROR(index_.db.Run(
      "SELECT cwd, count(*), max(created_us) AS used FROM task "
      "WHERE cwd <> '' GROUP BY cwd ORDER BY used DESC, cwd LIMIT ?",
      {int64_t{limit}}, [&](const SqlRow& row) {
        folders.push_back({.path = row.Text(0),
                           .tasks = row.Int(1),
                           .last_used_at = absl::FromUnixMicros(row.Int(2))});
      }));
  return folders;
}

absl::StatusOr<std::vector<TaskStore::UsageRow>> TaskStore::Usage(
    absl::Time since, absl::Time until, std::optional<absl::Duration> days) {
  std::vector<UsageRow> rows;
  const std::string day =
      days ? absl::StrCat("date(created_us / 1000000 + ",
                          absl::ToInt64Seconds(*days), ", 'unixepoch')")
           : "''";
  // total() instead of sum(): a sum of integers that overflows is an error.
  RETURN_IF_ERROR(index_.db.Run(
      absl::StrCat(
          "SELECT harness, model, count(*), total(input_tokens), "
          "total(cached_tokens), total(cache_write_tokens), "
          "total(output_tokens), total(reasoning_tokens), total(cost_usd), ",
          day,
          " AS day FROM task WHERE created_us >= ? AND created_us < ? "
          "GROUP BY day, harness, model ORDER BY day, harness, model"),
      {absl::ToUnixMicros(since), absl::ToUnixMicros(until)},
      [&](const SqlRow& sum) {
        rows.push_back({.harness = sum.Text(0),
                        .model = sum.Text(1),
                        .tasks = sum.Int(2),
                        .input_tokens = sum.Int(3),
                        .cached_tokens = sum.Int(4),
                        .cache_write_tokens = sum.Int(5),
                        .output_tokens = sum.Int(6),
                        .reasoning_tokens = sum.Int(7),
                        .cost_usd = sum.Real(8),
                        .day = sum.Text(9)});
      }));
  return rows;
}

absl::StatusOr<std::map<std::string, int64_t>> TaskStore::CountByState() {
  std::map<std::string, int64_t> counts;
  RETURN_IF_ERROR(index_.db.Run(
      "SELECT state, count(*) FROM task GROUP BY state", {},
      [&](const SqlRow& row) { counts[row.Text(0)] = row.Int(1); }));
  return counts;
}

absl::StatusOr<std::vector<TaskStore::EndedTask>> TaskStore::EndedOldestFirst(
    const EndedTask& after, int limit) {
  std::vector<EndedTask> ended;
  RETURN_IF_ERROR(index_.db.Run(
      "SELECT id, ended_us FROM task WHERE ended = 1 "
      "AND (ended_us, id) > (?, ?) ORDER BY ended_us, id LIMIT ?",
      {absl::ToUnixMicros(after.ended_at), after.id, int64_t{limit}},
      [&](const SqlRow& row) {
        ended.push_back(
            {.id = row.Text(0), .ended_at = absl::FromUnixMicros(row.Int(1))});
      }));
  return ended;
}

}  // namespace troika
