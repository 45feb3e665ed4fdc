// The tasks' rows: an index of what the logs say, to list and find tasks by.
//
// Nothing here is the truth. Each row says up to which record it was computed,
// and may be computed again from the log; the whole file may be deleted.
//
//   ASSIGN_OR_RETURN(TaskStore store, TaskStore::Open(path));
//   RETURN_IF_ERROR(store.Put({row}));
//   ASSIGN_OR_RETURN(TaskStore::Page page,
//                    store.List({.states = {"running"}},
//                               TaskStore::Encoding::kJson, 50, ""));
#ifndef TROIKA_STORE_TASK_STORE_H_
#define TROIKA_STORE_TASK_STORE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/sqlite.h"

namespace troika {

struct TaskRow {
  std::string id;  // Later tasks have greater ones.
  std::string state;
  std::string harness;
  std::string cwd;
  std::string title;
  std::string prompt;       // Searched; the caller bounds its length.
  std::string result_text;  // Of the last turn.
  std::string model;
  std::string parent_id;
  std::string idempotency_key;  // Unique, unless empty.
  std::map<std::string, std::string> labels;
  bool ended = false;  // No process lives and no turn waits for one.
  std::optional<absl::Time> created_at;
  std::optional<absl::Time> started_at;
  std::optional<absl::Time> ended_at;
  int64_t last_record = 0;  // Of the log, that is counted in.
  int64_t log_bytes = 0;
  int parser_version = 0;
  int64_t input_tokens = 0;
  int64_t cached_tokens = 0;
  int64_t cache_write_tokens = 0;
  int64_t output_tokens = 0;
  int64_t reasoning_tokens = 0;
  double cost_usd = 0;
  // The Task as lists show it, encoded once: without the prompt, and with only
  // the beginning of the result.
  std::string task_json;
  std::string task_pb;

  bool operator==(const TaskRow&) const = default;
};

// What is empty filters nothing; what is set must all hold.
struct TaskFilter {
  std::vector<std::string> states;
  std::vector<std::string> harnesses;
  std::string cwd;
  std::map<std::string, std::string> labels;
  // In the title or the prompt, as it is, but for the case of ASCII letters.
  std::string text;
};

// One thread at a time. Every call may also fail with the codes of
// SqliteStatus (store/sqlite.h).
class TaskStore {
 public:
  enum class Encoding { kJson, kBinary };

  struct Page {
    std::vector<std::string> ids;
    std::vector<std::string> tasks;  // task_json or task_pb, of each id.
    bool more = false;
  };
  // Tells how much of its log a row was computed from.
  struct Entry {
    std::string id;
    bool ended = false;
    int64_t log_bytes = 0;
    int parser_version = 0;
  };
  struct UsageRow {
    std::string harness;
    std::string model;
    int64_t tasks = 0;
    int64_t input_tokens = 0;
    int64_t cached_tokens = 0;
    int64_t cache_write_tokens = 0;
    int64_t output_tokens = 0;
    int64_t reasoning_tokens = 0;
    double cost_usd = 0;
  };
  struct Old {
    std::string id;
    absl::Time ended_at = absl::InfinitePast();
  };

  // Makes the file where there is none, see OpenIndex() (store/schema.h).
  // FailedPrecondition where a newer Troika made it.
  static absl::StatusOr<TaskStore> Open(const std::string& path);
  // Moves a file that is damaged aside, for that reason, and makes a new one.
  static absl::StatusOr<TaskStore> OpenAnew(const std::string& path,
                                            absl::string_view damage);
  // Another connection, which only reads. `path` has been opened, and is
  // shared().
  static absl::StatusOr<TaskStore> OpenReader(const std::string& path);

  // What became of a broken file, for the server's log, or empty.
  const std::string& repaired() const { return repaired_; }
  // Why rows are not kept in the file, or empty.
  const std::string& trouble() const { return trouble_; }
  // Whether OpenReader() sees the same rows.
  bool shared() const { return shared_; }
  // Reads all of the file: DataLoss where it is damaged.
  absl::Status Check();

  // Inserts or replaces all of them, or none. AlreadyExists where another task
  // has a row's idempotency key.
  absl::Status Put(absl::Span<const TaskRow> rows);
  // All of them, or none. Ids without a row are passed over.
  absl::Status Remove(absl::Span<const std::string> ids);
  absl::StatusOr<std::optional<TaskRow>> Get(absl::string_view id);

  // Newest first, from the one before `before_id` on; empty: from the newest.
  // At most 1000 a page. InvalidArgument where the text to find is too long.
  absl::StatusOr<Page> List(const TaskFilter& filter, Encoding encoding,
                            int page_size, absl::string_view before_id);
  // By id, from the one after `after_id` on.
  absl::StatusOr<std::vector<Entry>> Entries(absl::string_view after_id,
                                             int limit);
  // Ids of tasks that have not ended, oldest first.
  absl::StatusOr<std::vector<std::string>> NotEnded();
  // Ids that begin so, newest first.
  absl::StatusOr<std::vector<std::string>> WithPrefix(absl::string_view prefix,
                                                      int limit);
  // The task's id, or NotFound.
  absl::StatusOr<std::string> ByIdempotencyKey(absl::string_view key);
  // Sums by harness and model over the tasks made from `since` until before
  // `until`.
  absl::StatusOr<std::vector<UsageRow>> Usage(absl::Time since,
                                              absl::Time until);
  absl::StatusOr<std::map<std::string, int64_t>> CountByState();
  // Ended tasks in the order of their end, then of their ids, from the one
  // after `after` on.
  absl::StatusOr<std::vector<Old>> EndedOldestFirst(const Old& after,
                                                    int limit);

 private:
  explicit TaskStore(Database db) : db_(std::move(db)) {}

  // The row's number in the file.
  absl::StatusOr<int64_t> PutTask(const TaskRow& row);
  absl::Status PutRow(const TaskRow& row);
  absl::Status PutLabels(const TaskRow& row);
  absl::StatusOr<std::map<std::string, std::string>> Labels(
      absl::string_view id);

  Database db_;
  std::string repaired_;
  std::string trouble_;
  bool shared_ = true;
};

}  // namespace troika

#endif  // TROIKA_STORE_TASK_STORE_H_
