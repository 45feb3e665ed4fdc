// The index of tasks: rows, and those that are to be forgotten.
#include <dirent.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/row.h"
#include "server/tasks.h"

namespace troika {
namespace {

constexpr int kRetainAtOnce = 1000000;

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
  const absl::Status put = tools_.store->Put(rows_);
  if (!put.ok()) {
    // The log has it all; the rows are computed again at the next start.
    fprintf(stderr, "troika-server: keep the index of tasks: %s\n",
            std::string(put.message()).c_str());
  }
  rows_.clear();
}

void Tasks::PutRow(Open& open) {
  if (!std::exchange(open.row_is_old, false)) return;
  TaskRow row = RowOf(*open.task);
  open.shown_status = std::string(TaskStatusId(open.task->state().status));
  const std::shared_ptr<TaskStream> stream = open.task->stream();
  stream->SetTask(row.task_json);
  stream->Tell();
  tools_.changes->Add(row.task_json);
  rows_.push_back(std::move(row));
  FlushSoon(absl::ZeroDuration());
}

void Tasks::PutLost(const std::string& id, absl::string_view reason) {
  const auto known = tools_.store->Get(id);
  TaskRow row;
  if (known.ok() && *known) row = **known;
  row.id = id;
  rows_.push_back(LostRow(std::move(row), reason));
  tools_.changes->Add(rows_.back().task_json);
  FlushSoon(absl::ZeroDuration());
}

void Tasks::Delete(const std::string& id,
                   absl::AnyInvocable<void(absl::Status)> answer) {
  const ActiveTask* const active = ActiveOf(id);
  const bool lives = queue_.IsWaiting(id) || queue_.IsRunning(id) ||
                     (active != nullptr && !active->at_rest());
  if (lives) {
    return answer(absl::FailedPreconditionError(
        absl::StrCat("task ", id, " has not ended: stop it first")));
  }
  Remove(id);
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
  tools_.pool->Run(
      [trash] {
        std::error_code ignored;
        fs::remove_all(trash, ignored);
      },
      [answer = std::move(answer)]() mutable { answer(absl::OkStatus()); });
}

void Tasks::Remove(const std::string& id) {
  if (const auto it = streams_.find(id); it != streams_.end()) {
    if (const auto stream = it->second.lock()) stream->SetGone();
    streams_.erase(id);
  }
  open_.erase(id);
  old_rows_.erase(id);
  Flush();
  tools_.store->Remove(id).IgnoreError();
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
