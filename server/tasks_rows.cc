// The index of tasks: rows, and those that are to be forgotten.
#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "dto/proto_json.h"
#include "server/row.h"
#include "server/tasks.h"

namespace troika {
namespace {

constexpr int kRetainAtOnce = 1000000;
constexpr absl::Duration kPutAgain = absl::Seconds(1);

}  // namespace

void Tasks::FlushSoon(absl::Duration delay) {
  if (flush_is_set_ && delay > absl::ZeroDuration()) return;
  flush_is_set_ = true;
  flush_timer_->SetIn(delay);
}

void Tasks::Flush() {
  for (const std::string& id : std::exchange(old_rows_, {})) {
    const auto it = open_.find(id);
    if (it != open_.end()) PutRow(it->second);
  }
  flush_is_set_ = false;
  flush_timer_->Cancel();
  if (rows_.empty()) return;
  const absl::Status put = PutRows();
  if (put.ok()) {
    rows_.clear();
    put_error_.clear();
    return;
  }
  // They are kept, and shown, until they can be put.
  if (put_error_ != put.message()) {
    put_error_ = std::string(put.message());
    fprintf(stderr, "troika-server: keep the index of tasks: %s\n",
            put_error_.c_str());
  }
  FlushSoon(kPutAgain);
}

absl::Status Tasks::PutRows() {
  std::vector<TaskRow> rows;
  for (const auto& [id, row] : rows_) rows.push_back(row);
  absl::Status put = tools_.store->Put(rows);
  if (!absl::IsAlreadyExists(put)) return put;
  // Two logs have the same key, as nobody knew of the first: it counts there.
  for (TaskRow& row : rows) {
    put = tools_.store->Put({row});
    if (absl::IsAlreadyExists(put)) {
      row.idempotency_key.clear();
      put = tools_.store->Put({row});
    }
    if (!put.ok()) return put;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<TaskRow>> Tasks::RowOf(const std::string& id) {
  const auto it = rows_.find(id);
  if (it != rows_.end()) return it->second;
  return tools_.store->Get(id);
}

void Tasks::PutRow(Open& open) {
  if (!std::exchange(open.row_is_old, false)) return;
  TaskRow row = troika::RowOf(*open.task);
  open.shown_status = std::string(TaskStatusId(open.task->state().status));
  const std::shared_ptr<TaskStream> stream = open.task->stream();
  if (stream->viewers() > 0) {
    stream->SetTask(ToJson(*Get(row.id)));
    stream->Tell();
  }
  tools_.changes->Add(row.id, row.task_json);
  const std::string id = row.id;
  rows_[id] = std::move(row);
  FlushSoon(absl::ZeroDuration());
}

void Tasks::PutLost(const std::string& id, absl::string_view reason) {
  const auto known = RowOf(id);
  TaskRow row;
  if (known.ok() && *known) row = **known;
  row.id = id;
  rows_[id] = LostRow(std::move(row), reason);
  tools_.changes->Add(id, rows_[id].task_json);
  FlushSoon(absl::ZeroDuration());
}

void Tasks::Delete(const std::string& id,
                   absl::AnyInvocable<void(absl::Status)> answer) {
  const ActiveTask* const active = ActiveOf(id);
  const auto row = RowOf(id);
  if (!row.ok()) return answer(row.status());
  const bool lives = queue_.IsWaiting(id) || queue_.IsRunning(id) ||
                     IsLoading(id) || (*row && !(*row)->ended) ||
                     (active != nullptr && !active->at_rest());
  if (lives) {
    return answer(absl::FailedPreconditionError(
        absl::StrCat("task ", id, " has not ended: stop it first")));
  }
  // Out of sight at once, and then file by file.
  namespace fs = std::filesystem;
  const fs::path folder = absl::StrCat(tools_.home->path(), "/tasks/", id);
  const fs::path trash = absl::StrCat(tools_.home->path(), "/tasks/.gone-", id);
  std::error_code error;
  fs::rename(folder, trash, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    return answer(absl::ErrnoToStatus(
        error.value(), absl::StrCat("remove ", folder.string())));
  }
  // Not within a call of the task's own.
  tools_.loop->Post([this, id, trash, answer = std::move(answer)]() mutable {
    Remove(id);
    tools_.log_pool->Run(
        [trash] {
          std::error_code ignored;
          fs::remove_all(trash, ignored);
        },
        [answer = std::move(answer)]() mutable { answer(absl::OkStatus()); });
  });
}

void Tasks::Remove(const std::string& id) {
  if (const auto it = streams_.find(id); it != streams_.end()) {
    if (const auto stream = it->second.lock()) stream->SetGone();
    streams_.erase(id);
  }
  open_.erase(id);
  old_rows_.erase(id);
  rows_.erase(id);
  idle_.erase(id);
  tools_.changes->AddGone(id);
  const absl::Status removed = tools_.store->Remove(id);
  if (!removed.ok()) {
    fprintf(stderr, "troika-server: forget task %s: %s\n", id.c_str(),
            std::string(removed.message()).c_str());
  }
}

void Tasks::Retain(int64_t ended_before_us, int64_t max_bytes) {
  Flush();
  const auto ended = tools_.store->EndedOldestFirst(kRetainAtOnce);
  if (!ended.ok()) return;
  int64_t bytes = 0;
  for (const TaskStore::Old& old : *ended) bytes += old.log_bytes;
  for (const TaskStore::Old& old : *ended) {
    const bool late = ended_before_us > 0 && old.ended_us < ended_before_us;
    const bool much = max_bytes > 0 && bytes > max_bytes;
    if (!late && !much) break;
    bytes -= old.log_bytes;
    Delete(old.id, [](const absl::Status&) {});
  }
}

}  // namespace troika
