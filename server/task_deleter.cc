#include "server/task_deleter.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/blocking.h"
#include "relay/log_format.h"
#include "server/load_task.h"
#include "server/removed_usage.h"
#include "task/follower.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kTrashPrefix = ".gone-";
// Tasks that Retention reads, and that it deletes, at once.
constexpr int kPage = 1000;
constexpr size_t kBatch = 50;

fs::path TrashOf(const Home& home, const std::string& id) {
  return home.TaskPath(absl::StrCat(kTrashPrefix, id));
}

void RemoveTrash(const Home& home) {
  AssertMayBlock("removing deleted tasks");
  std::error_code error;
  std::vector<fs::path> trash;
  for (const auto& entry : fs::directory_iterator(home.tasks_path(), error)) {
    if (absl::StartsWith(entry.path().filename().string(), kTrashPrefix)) {
      trash.push_back(entry.path());
    }
  }
  for (const fs::path& path : trash) fs::remove_all(path, error);
}

absl::Status MoveToTrash(const Home& home, const std::string& id) {
  AssertMayBlock("moving a task's folder");
  {
    const auto folder = home.OpenTask(id);
    struct stat log = {};
    if (folder.ok() &&
        fstatat(folder->fd.get(), relay::kLogName, &log, 0) == 0 &&
        !LogIsFree(*folder)) {
      return HasNotEndedError(id);
    }
  }
  const fs::path folder = home.TaskPath(id);
  std::error_code error;
  fs::rename(folder, TrashOf(home, id), error);
  if (!error || error == std::errc::no_such_file_or_directory) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(error.value(),
                             absl::StrCat("remove ", folder.string()));
}

}  // namespace

absl::Status HasNotEndedError(const std::string& id) {
  return absl::FailedPreconditionError(
      absl::StrCat("task ", id, " has not ended: stop it first"));
}

void TaskDeleter::Delete(const std::vector<std::string>& ids,
                         absl::AnyInvocable<void(std::vector<Deletion>)> done) {
  std::vector<Deletion> deletions;
  for (const std::string& id : ids) {
    deletions.push_back({.id = id, .status = owner_.CheckDelete(id)});
    if (deletions.back().status.ok()) deleting_.insert(id);
  }
  using Rows = std::vector<TaskRow>;
  tools_.index->Ask<Rows>(
      [ids](BufferedTaskStore& store) -> absl::StatusOr<Rows> {
        Rows rows;
        for (const std::string& id : ids) {
          absl::StatusOr<std::optional<TaskRow>> row = store.Get(id);
          if (row.ok() && *row) rows.push_back(**std::move(row));
        }
        return rows;
      },
      [this, deletions = std::move(deletions),
       done = std::move(done)](absl::StatusOr<Rows> rows) mutable {
        Move(std::move(deletions), std::move(rows).value_or(Rows()),
             std::move(done));
      });
}

void TaskDeleter::Move(Deletions deletions, std::vector<TaskRow> rows,
                       absl::AnyInvocable<void(Deletions)> done) {
  std::erase_if(rows, [&](const TaskRow& row) { return !IsDeleting(row.id); });
  tools_.pools->remove.RunFor<Deletions>(
      [home = tools_.home, deletions = std::move(deletions),
       rows = std::move(rows)]() mutable {
        // Deleting goes on even so: it may be what makes room on the disk.
        if (const absl::Status kept = KeepUsage(*home, rows); !kept.ok()) {
          fprintf(stderr,
                  "troika-server: the usage of deleted tasks is lost: %s\n",
                  std::string(kept.message()).c_str());
        }
        for (auto& [id, status] : deletions) {
          if (status.ok()) status = MoveToTrash(*home, id);
        }
        return std::move(deletions);
      },
      [this, done = std::move(done)](Deletions moved) mutable {
        for (const auto& [id, status] : moved) {
          deleting_.erase(id);
          if (status.ok()) owner_.OnDeleted(id);
        }
        tools_.pools->remove.RunFor<Deletions>(
            [home = tools_.home, moved = std::move(moved)]() mutable {
              for (const auto& [id, status] : moved) {
                std::error_code ignored;
                if (status.ok()) fs::remove_all(TrashOf(*home, id), ignored);
              }
              return std::move(moved);
            },
            std::move(done));
      });
}

void TaskDeleter::EmptyTrash() {
  tools_.pools->remove.Run([home = tools_.home] { RemoveTrash(*home); }, [] {});
}

void Retention::Run(const Limits& limits) {
  if (std::exchange(running_, true)) return;
  limits_ = limits;
  ended_.clear();
  bytes_ = 0;
  next_ = 0;
  ReadPage({});
}

void Retention::ReadPage(const TaskStore::EndedTask& after) {
  using Page = std::vector<TaskStore::EndedTask>;
  tools_.index->Search<Page>(
      [after](TaskStore& store) {
        return store.EndedOldestFirst(after, kPage);
      },
      [this](absl::StatusOr<Page> page) {
        if (!page.ok()) return OnPage({});
        tools_.pool->RunFor<std::vector<Ended>>(
            [this, page = *std::move(page)] {
              std::vector<Ended> ended;
              for (const TaskStore::EndedTask& one : page) {
                ended.push_back({.task = one,
                                 .bytes = limits_.max_bytes > 0
                                              ? TaskBytes(*tools_.home, one.id)
                                              : 0});
              }
              return ended;
            },
            [this](std::vector<Ended> ended) { OnPage(std::move(ended)); });
      });
}

void Retention::OnPage(std::vector<Ended> page) {
  const bool last = page.size() < static_cast<size_t>(kPage) ||
                    // Later pages hold only younger ones.
                    (limits_.max_bytes == 0 &&
                     page.back().task.ended_at >= limits_.ended_before);
  for (Ended& ended : page) {
    bytes_ += ended.bytes;
    ended_.push_back(std::move(ended));
  }
  if (last) return DeleteSome();
  ReadPage(ended_.back().task);
}

void Retention::DeleteSome() {
  std::vector<std::string> ids;
  for (; next_ < ended_.size() && ids.size() < kBatch; ++next_) {
    const Ended& ended = ended_[next_];
    const bool late = ended.task.ended_at < limits_.ended_before;
    const bool much = limits_.max_bytes > 0 && bytes_ > limits_.max_bytes;
    if (!late && !much) break;
    bytes_ -= ended.bytes;
    ids.push_back(ended.task.id);
  }
  if (ids.empty()) {
    running_ = false;
    ended_ = {};
    return;
  }
  delete_tasks_(std::move(ids), [this] { DeleteSome(); });
}

}  // namespace troika
