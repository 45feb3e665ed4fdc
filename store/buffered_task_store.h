// A TaskStore that accepts rows even while its file can't be written.
//
// Put() and Remove() keep their changes in memory until Flush() has written
// them. Reads through this class see the unwritten changes; reads through
// store() don't.
//
//   store.Put(row);
//   store.Get(row.id);  // Finds it.
//   if (!store.Flush().ok()) TryAgainLater();
#ifndef TROIKA_STORE_BUFFERED_TASK_STORE_H_
#define TROIKA_STORE_BUFFERED_TASK_STORE_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/task_store.h"

namespace troika {

// For one thread at a time. Errors are those of TaskStore.
class BufferedTaskStore {
 public:
  explicit BufferedTaskStore(TaskStore store) : store_(std::move(store)) {}

  void Put(TaskRow row);
  void Remove(const std::string& id);
  // Writes all changes or none. If two tasks have the same idempotency key, the
  // one that was written first keeps it.
  absl::Status Flush();
  // Number of tasks that Flush() has to write.
  size_t unwritten() const { return unwritten_.size(); }

  absl::StatusOr<std::optional<TaskRow>> Get(const std::string& id);
  absl::StatusOr<std::string> ByIdempotencyKey(absl::string_view key);
  absl::StatusOr<std::vector<std::string>> WithPrefix(absl::string_view prefix,
                                                      int limit);
  absl::StatusOr<TaskStore::Page> List(const TaskFilter& filter,
                                       Encoding encoding, int page_size,
                                       absl::string_view before_id);

  // The store of the rows that have been written.
  TaskStore& store() { return store_; }
  // Continues with another file, to which the unwritten rows are written.
  void Replace(TaskStore store) { store_ = std::move(store); }

 private:
  absl::Status WriteRows();
  void ForgetKey(const std::string& id);

  TaskStore store_;
  // nullopt: removed.
  std::map<std::string, std::optional<TaskRow>> unwritten_;
  // Ids of unwritten rows, by idempotency key.
  std::map<std::string, std::string, std::less<>> keys_;
};

// Returns whether TaskStore::List would list the row.
bool Matches(const TaskFilter& filter, const TaskRow& row);

}  // namespace troika

#endif  // TROIKA_STORE_BUFFERED_TASK_STORE_H_
