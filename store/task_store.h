// An index of the tasks' logs, to list and find tasks by.
//
// The logs are the truth, not the index. Each row says up to which record of
// the log it was computed and can be computed again; the file may be deleted.
//
//   ASSIGN_OR_RETURN(TaskStore store, TaskStore::Open(path));
//   RETURN_IF_ERROR(store.Put({row}));
//   ASSIGN_OR_RETURN(TaskStore::Page page,
//                    store.List({.states = {"running"}},
//                               Encoding::kJson, 50, ""));
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
#include "store/schema.h"
#include "store/sqlite.h"

namespace troika {

// What a task has used within a quarter of an hour, counted from 1970.
struct SpentInSlot {
  int64_t slot = 0;
  int64_t tokens = 0;
  int64_t cost_microusd = 0;

  bool operator==(const SpentInSlot&) const = default;
};

struct TaskRow {
  std::string id;  // Later tasks have greater ids.
  std::string state;
  std::string harness;
  std::string cwd;
  std::string title;
  std::string prompt;       // Searchable; the caller bounds its length.
  std::string result_text;  // Result of the last turn.
  std::string model;
  std::string session_id;  // Id of the CLI's own session.
  std::string parent_id;
  std::string idempotency_key;  // Unique, unless empty.
  std::map<std::string, std::string> labels;
  bool ended = false;  // No process lives, and no turn waits for one.
  std::optional<absl::Time> created_at;
  std::optional<absl::Time> started_at;
  std::optional<absl::Time> ended_at;
  int64_t last_record = 0;  // Last record of the log that is counted in.
  int64_t log_bytes = 0;
  int parser_version = 0;
  int64_t input_tokens = 0;
  int64_t cached_tokens = 0;
  int64_t cache_write_tokens = 0;
  int64_t output_tokens = 0;
  int64_t reasoning_tokens = 0;
  double cost_usd = 0;
  // Is kept when the task is removed. Get() does not read it.
  std::vector<SpentInSlot> spent;
  // The Task as lists show it, encoded once: without the prompt, and with only
  // the beginning of the result.
  std::string task_json;
  std::string task_pb;

  bool operator==(const TaskRow&) const = default;
};

// A task matches if it meets all conditions that are not empty.
struct TaskFilter {
  std::vector<std::string> states;
  std::vector<std::string> harnesses;
  std::string cwd;
  std::map<std::string, std::string> labels;
  // Substring of the title or the prompt. ASCII letters match in either case.
  std::string text;
};

// How a message is sent.
enum class Encoding { kJson, kBinary };

// For one thread at a time. Every call may also return the codes of
// SqliteStatus (store/sqlite.h).
class TaskStore {
 public:
  struct Page {
    std::vector<std::string> ids;
    std::vector<std::string> tasks;  // task_json or task_pb of each id.
    bool more = false;
  };
  // Says how much of its log a row was computed from.
  struct Entry {
    std::string id;
    bool ended = false;
    int64_t log_bytes = 0;
    int parser_version = 0;
  };
  struct SessionTask {
    std::string id;
    std::string harness;
    std::string session_id;
    bool ended = false;
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
    std::string day;  // "2026-11-17", if asked for.
  };
  struct Folder {
    std::string path;
    int64_t tasks = 0;
    absl::Time last_used_at;  // When the newest of them was created.
  };
  struct Spent {
    std::string id;
    SpentInSlot amount;
  };
  struct EndedTask {
    std::string id;
    absl::Time ended_at = absl::InfinitePast();
  };

  // Creates the file if there is none, see OpenIndex() (store/schema.h).
  // Returns FailedPrecondition if a newer Troika created the file.
  static absl::StatusOr<TaskStore> Open(const std::string& path);
  // Moves a damaged file aside and creates a new one. `damage` is the reason.
  static absl::StatusOr<TaskStore> Recreate(const std::string& path,
                                            absl::string_view damage);
  // Opens another, read-only connection to a store that is open and shared().
  static absl::StatusOr<TaskStore> OpenReader(const std::string& path);

  // How a broken file was repaired, for the server's log, or empty.
  const std::string& repaired() const { return index_.repaired; }
  // Why rows are not saved in the file, or empty.
  const std::string& trouble() const { return index_.trouble; }
  // Whether OpenReader() sees the same rows.
  bool shared() const { return index_.shared; }
  // Reads the whole file. Returns DataLoss if it is damaged.
  absl::Status Check();

  // Inserts or replaces all rows, or none. Returns AlreadyExists if another
  // task has the idempotency key of a row.
  absl::Status Put(absl::Span<const TaskRow> rows);
  // Removes all rows, or none. Ignores ids without a row.
  absl::Status Remove(absl::Span<const std::string> ids);
  absl::StatusOr<std::optional<TaskRow>> Get(absl::string_view id);
  // Returns what was spent from that slot on, also by tasks that were removed,
  // and forgets what was spent before it.
  absl::StatusOr<std::vector<Spent>> TakeSpent(int64_t first_slot);

  // Lists tasks, newest first, starting below `before_id`, or with the newest
  // if that is empty. A page has at most 1000 tasks. Returns InvalidArgument if
  // the filter's text is too long or a list in it has too many entries.
  absl::StatusOr<Page> List(const TaskFilter& filter, Encoding encoding,
                            int page_size, absl::string_view before_id);
  // Lists entries by id, starting after `after_id`.
  absl::StatusOr<std::vector<Entry>> Entries(absl::string_view after_id,
                                             int limit);
  // Returns ids of tasks that have not ended, oldest first.
  absl::StatusOr<std::vector<std::string>> NotEnded();
  // Returns ids that begin with `prefix`, newest first.
  absl::StatusOr<std::vector<std::string>> WithPrefix(absl::string_view prefix,
                                                      int limit);
  // Returns the id of the task with that key, or NotFound.
  absl::StatusOr<std::string> ByIdempotencyKey(absl::string_view key);
  // Returns the tasks that have one of these sessions, newest first.
  absl::StatusOr<std::vector<SessionTask>> WithSessions(
      absl::Span<const std::string> session_ids);
  // Sums by harness and model over the tasks created in [since, until); if
  // `days` is set, also by the day of their creation, of which the zone with
  // that offset from UTC decides.
  absl::StatusOr<std::vector<UsageRow>> Usage(
      absl::Time since, absl::Time until,
      std::optional<absl::Duration> days = std::nullopt);
  // Returns the folders of tasks, the last used first.
  absl::StatusOr<std::vector<Folder>> Folders(int limit);
  absl::StatusOr<std::map<std::string, int64_t>> CountByState();
  // Lists ended tasks by the time of their end, then by id, starting after
  // `after`.
  absl::StatusOr<std::vector<EndedTask>> EndedOldestFirst(
      const EndedTask& after, int limit);

 private:
  explicit TaskStore(OpenedIndex index) : index_(std::move(index)) {}

  // Returns the ids that a query selects.
  absl::StatusOr<std::vector<std::string>> Ids(
      const std::string& sql, absl::Span<const SqlValue> values);
  // Returns the number of the row in the file.
  absl::StatusOr<int64_t> PutTask(const TaskRow& row);
  absl::Status PutRow(const TaskRow& row);
  absl::Status PutLabels(const TaskRow& row);
  absl::StatusOr<std::map<std::string, std::string>> Labels(
      absl::string_view id);

  OpenedIndex index_;
};

}  // namespace troika

#endif  // TROIKA_STORE_TASK_STORE_H_
