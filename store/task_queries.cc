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
  ASSIGN_OR_RETURN(
      Statement find,
      db_.Prepare("SELECT id, ended, log_bytes, parser_version FROM task "
                  "WHERE id > ? ORDER BY id LIMIT ?"));
  find.Bind(after_id).Bind(int64_t{limit});
  std::vector<Entry> entries;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) return entries;
    entries.push_back({.id = find.Text(0),
                       .ended = find.Int(1) != 0,
                       .log_bytes = find.Int(2),
                       .parser_version = static_cast<int>(find.Int(3))});
  }
}

absl::StatusOr<std::vector<std::string>> TaskStore::NotEnded() {
  ASSIGN_OR_RETURN(
      Statement find,
      db_.Prepare("SELECT id FROM task WHERE ended = 0 ORDER BY id"));
  std::vector<std::string> ids;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) return ids;
    ids.push_back(find.Text(0));
  }
}

absl::StatusOr<std::vector<std::string>> TaskStore::WithPrefix(
    absl::string_view prefix, int limit) {
  const std::string after = AfterPrefix(prefix);
  ASSIGN_OR_RETURN(Statement find,
                   db_.Prepare(absl::StrCat("SELECT id FROM task WHERE id >= ?",
                                            after.empty() ? "" : " AND id < ?",
                                            " ORDER BY id DESC LIMIT ?")));
  find.Bind(prefix);
  if (!after.empty()) find.Bind(after);
  find.Bind(int64_t{limit});
  std::vector<std::string> ids;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) return ids;
    ids.push_back(find.Text(0));
  }
}

absl::StatusOr<std::string> TaskStore::ByIdempotencyKey(absl::string_view key) {
  // The second condition lets SQLite use the index, which has no empty keys.
  ASSIGN_OR_RETURN(Statement find,
                   db_.Prepare("SELECT id FROM task WHERE idempotency_key = ? "
                               "AND idempotency_key <> ''"));
  find.Bind(key);
  ASSIGN_OR_RETURN(const bool row, find.Step());
  if (!row) {
    return absl::NotFoundError("no task has this idempotency key");
  }
  return find.Text(0);
}

absl::StatusOr<std::vector<TaskStore::UsageRow>> TaskStore::Usage(
    absl::Time since, absl::Time until) {
  // total() instead of sum(): a sum of integers that overflows is an error.
  ASSIGN_OR_RETURN(
      Statement sum,
      db_.Prepare("SELECT harness, model, count(*), total(input_tokens), "
                  "total(cached_tokens), total(cache_write_tokens), "
                  "total(output_tokens), total(reasoning_tokens), "
                  "total(cost_usd) FROM task "
                  "WHERE created_us >= ? AND created_us < ? "
                  "GROUP BY harness, model ORDER BY harness, model"));
  sum.Bind(absl::ToUnixMicros(since)).Bind(absl::ToUnixMicros(until));
  std::vector<UsageRow> rows;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, sum.Step());
    if (!row) return rows;
    rows.push_back({.harness = sum.Text(0),
                    .model = sum.Text(1),
                    .tasks = sum.Int(2),
                    .input_tokens = sum.Int(3),
                    .cached_tokens = sum.Int(4),
                    .cache_write_tokens = sum.Int(5),
                    .output_tokens = sum.Int(6),
                    .reasoning_tokens = sum.Int(7),
                    .cost_usd = sum.Real(8)});
  }
}

absl::StatusOr<std::map<std::string, int64_t>> TaskStore::CountByState() {
  ASSIGN_OR_RETURN(
      Statement count,
      db_.Prepare("SELECT state, count(*) FROM task GROUP BY state"));
  std::map<std::string, int64_t> counts;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, count.Step());
    if (!row) return counts;
    counts[count.Text(0)] = count.Int(1);
  }
}

absl::StatusOr<std::vector<TaskStore::Old>> TaskStore::EndedOldestFirst(
    const Old& after, int limit) {
  ASSIGN_OR_RETURN(
      Statement find,
      db_.Prepare("SELECT id, ended_us FROM task WHERE ended = 1 "
                  "AND (ended_us, id) > (?, ?) ORDER BY ended_us, id LIMIT ?"));
  find.Bind(absl::ToUnixMicros(after.ended_at)).Bind(after.id);
  find.Bind(int64_t{limit});
  std::vector<Old> old;
  while (true) {
    ASSIGN_OR_RETURN(const bool row, find.Step());
    if (!row) return old;
    old.push_back(
        {.id = find.Text(0), .ended_at = absl::FromUnixMicros(find.Int(1))});
  }
}

}  // namespace troika
