// The queries of TaskStore other than Get() and List().
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/task_store.h"

namespace troika {
namespace {

// Returns the first text after all that begin with `prefix`, or "" if there is
// none.
std::string AfterPrefix(absl::string_view prefix) {
  std::string after(prefix);
  while (!after.empty() && after.back() == '\xff') after.pop_back();
  if (!after.empty()) ++after.back();
  return after;
}

}  // namespace

absl::StatusOr<std::vector<TaskStore::Entry>> TaskStore::Entries(
    absl::string_view after_id, int limit) {
  std::vector<Entry> entries;
  RETURN_IF_ERROR(db_.Run(
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
  RETURN_IF_ERROR(db_.Run(
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

absl::StatusOr<std::vector<TaskStore::UsageRow>> TaskStore::Usage(
    absl::Time since, absl::Time until) {
  std::vector<UsageRow> rows;
  // total() instead of sum(): a sum of integers that overflows is an error.
  RETURN_IF_ERROR(
      db_.Run("SELECT harness, model, count(*), total(input_tokens), "
              "total(cached_tokens), total(cache_write_tokens), "
              "total(output_tokens), total(reasoning_tokens), total(cost_usd) "
              "FROM task WHERE created_us >= ? AND created_us < ? "
              "GROUP BY harness, model ORDER BY harness, model",
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
                                .cost_usd = sum.Real(8)});
              }));
  return rows;
}

absl::StatusOr<std::map<std::string, int64_t>> TaskStore::CountByState() {
  std::map<std::string, int64_t> counts;
  RETURN_IF_ERROR(
      db_.Run("SELECT state, count(*) FROM task GROUP BY state", {},
              [&](const SqlRow& row) { counts[row.Text(0)] = row.Int(1); }));
  return counts;
}

absl::StatusOr<std::vector<TaskStore::Old>> TaskStore::EndedOldestFirst(
    const Old& after, int limit) {
  std::vector<Old> old;
  RETURN_IF_ERROR(
      db_.Run("SELECT id, ended_us FROM task WHERE ended = 1 "
              "AND (ended_us, id) > (?, ?) ORDER BY ended_us, id LIMIT ?",
              {absl::ToUnixMicros(after.ended_at), after.id, int64_t{limit}},
              [&](const SqlRow& row) {
                old.push_back({.id = row.Text(0),
                               .ended_at = absl::FromUnixMicros(row.Int(1))});
              }));
  return old;
}

}  // namespace troika
