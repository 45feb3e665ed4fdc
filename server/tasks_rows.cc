// Rows of tasks, and the deletion of tasks.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/blocking.h"
#include "dto/proto_json.h"
#include "relay/log_format.h"
#include "server/row.h"
#include "server/tasks.h"
#include "task/follower.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRowsAtOnce = 50;
constexpr absl::string_view kTrashPrefix = ".gone-";

absl::Status HasNotEnded(const std::string& id) {
  return absl::FailedPreconditionError(
      absl::StrCat("task ", id, " has not ended: stop it first"));
}

fs::path TrashOf(const Home& home, const std::string& id) {
  return absl::StrCat(home.path(), "/tasks/", kTrashPrefix, id);
}

// Removes what a server that was killed had begun to remove.
void RemoveTrash(const Home& home) {
  AssertMayBlock("removing deleted tasks");
  std::error_code error;
  std::vector<fs::path> trash;
  for (const auto& entry :
       fs::directory_iterator(home.path() + "/tasks", error)) {
    if (absl::StartsWith(entry.path().filename().string(), kTrashPrefix)) {
      trash.push_back(entry.path());
    }
  }
  for (const fs::path& path : trash) fs::remove_all(path, error);
}

// Takes a task out of sight at once; its files go later.
absl::Status MoveToTrash(const Home& home, const std::string& id) {
  AssertMayBlock("moving a task's folder");
  {
    const auto folder = home.OpenTask(id);
    struct stat log = {};
    if (folder.ok() &&
        fstatat(folder->fd.get(), relay::kLogName, &log, 0) == 0 &&
        !LogIsFree(*folder)) {
      return HasNotEnded(id);
    }
  }
  const fs::path folder = absl::StrCat(home.path(), "/tasks/", id);
  std::error_code error;
  fs::rename(folder, TrashOf(home, id), error);
  if (!error || error == std::errc::no_such_file_or_directory) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(error.value(),
                             absl::StrCat("remove ", folder.string()));
}

}  // namespace

void Tasks::Put(TaskRow row) {
  tools_.changes->Add(row.id, row.task_json);
  tools_.index->Put({std::move(row)});
}

void Tasks::PutRow(Open& open) {
  if (!std::exchange(open.row_is_old, false)) return;
  const ActiveTask& active = *open.task;
  open.shown_status = std::string(TaskStatusId(active.state().status));
  v1::Task task = active.Describe();
  TaskRow row = active.Row(task);
  const std::shared_ptr<TaskStream> stream = active.stream();
  if (stream->viewers() > 0) {
    AddPosition(&task);
    stream->SetTask(ToJson(task));
    stream->Tell();
  }
  Put(std::move(row));
}

void Tasks::PutOldRows() {
  row_timer_is_set_ = false;
  for (size_t i = 0; i < kRowsAtOnce && !old_rows_.empty(); ++i) {
    const auto it = open_.find(*old_rows_.begin());
    old_rows_.erase(old_rows_.begin());
    if (it != open_.end()) PutRow(it->second);
  }
  if (old_rows_.empty()) return;
  row_timer_is_set_ = true;
  row_timer_->SetIn(absl::ZeroDuration());
}

void Tasks::Finish() {
  ending_ = true;
  for (const std::string& id : std::exchange(old_rows_, {})) {
    const auto it = open_.find(id);
    if (it != open_.end()) PutRow(it->second);
  }
}

void Tasks::ChangeRow(const std::string& id,
                      absl::AnyInvocable<TaskRow(TaskRow)> change) {
  tools_.index->Ask<TaskRow>(
      [id](BufferedTaskStore& store) -> absl::StatusOr<TaskRow> {
        // A row that can't be read leaves the id.
        auto row = store.Get(id);
        if (row.ok() && *row) return **std::move(row);
        return TaskRow{.id = id};
      },
      [this, id,
       change = std::move(change)](absl::StatusOr<TaskRow> row) mutable {
        if (ActiveOf(id) != nullptr || !row.ok()) return;
        Put(change(*std::move(row)));
      });
}

void Tasks::PutLost(const std::string& id, absl::string_view reason) {
  troubles_.erase(id);
  // It is shown for as long as this server runs.
  if (!loader_.done()) newer_.insert(id);
  ChangeRow(id, [reason = std::string(reason)](TaskRow row) {
    return LostRow(std::move(row), reason);
  });
}

void Tasks::RetryLater(const std::string& id, const absl::Status& error) {
  // What is read then is the newest that is known.
  newer_.erase(id);
  loader_.Retry(id);
  PutTrouble(id, error);
}

void Tasks::PutTrouble(const std::string& id, const absl::Status& error) {
  std::string& trouble = troubles_[id];
  if (trouble == error.message()) return;
  trouble = std::string(error.message());
  ChangeRow(id, [trouble](TaskRow row) {
    return TroubledRow(std::move(row), trouble);
  });
}

absl::Status Tasks::CheckDelete(const std::string& id) const {
  const ActiveTask* const active = ActiveOf(id);
  const bool lives = queue_.IsWaiting(id) || queue_.IsRunning(id) ||
                     unsettled_.count(id) > 0 || troubles_.count(id) > 0 ||
                     (active != nullptr && !active->at_rest());
  return lives ? HasNotEnded(id) : absl::OkStatus();
}

void Tasks::Delete(const std::string& id, Done done) {
  if (const absl::Status may = CheckDelete(id); !may.ok()) return done(may);
  tools_.index->Ask<bool>(
      [id](BufferedTaskStore& store) -> absl::StatusOr<bool> {
        const auto row = store.Get(id);
        return row.ok() && *row && !(*row)->ended;
      },
      [this, id,
       done = std::move(done)](const absl::StatusOr<bool>& lives) mutable {
        if (lives.ok() && *lives) return done(HasNotEnded(id));
        DeleteFiles({id},
                    [done = std::move(done)](
                        const std::vector<absl::Status>& deleted) mutable {
                      done(deleted[0]);
                    });
      });
}

void Tasks::DeleteFiles(
    std::vector<std::string> ids,
    absl::AnyInvocable<void(std::vector<absl::Status>)> done) {
  struct Deletion {
    std::vector<std::string> ids;
    std::vector<absl::Status> results;
  };
  auto deletion = std::make_shared<Deletion>();
  deletion->ids = std::move(ids);
  for (const std::string& id : deletion->ids) {
    deletion->results.push_back(CheckDelete(id));
    // Nobody opens it from now on.
    if (deletion->results.back().ok()) deleting_.insert(id);
  }
  const Home* const home = tools_.home;
  auto remove = [home, deletion] {
    for (size_t i = 0; i < deletion->ids.size(); ++i) {
      std::error_code ignored;
      if (deletion->results[i].ok()) {
        fs::remove_all(TrashOf(*home, deletion->ids[i]), ignored);
      }
    }
  };
  tools_.delete_pool->Run(
      [home, deletion] {
        for (size_t i = 0; i < deletion->ids.size(); ++i) {
          if (!deletion->results[i].ok()) continue;
          deletion->results[i] = MoveToTrash(*home, deletion->ids[i]);
        }
      },
      [this, deletion, remove = std::move(remove),
       done = std::move(done)]() mutable {
        for (size_t i = 0; i < deletion->ids.size(); ++i) {
          deleting_.erase(deletion->ids[i]);
          if (deletion->results[i].ok()) Forget(deletion->ids[i]);
        }
        tools_.delete_pool->Run(std::move(remove),
                                [deletion, done = std::move(done)]() mutable {
                                  done(std::move(deletion->results));
                                });
      });
}

void Tasks::Forget(const std::string& id) {
  if (const auto it = streams_.find(id); it != streams_.end()) {
    if (const auto stream = it->second.lock()) stream->SetGone();
    streams_.erase(id);
  }
  open_.erase(id);
  old_rows_.erase(id);
  idle_.erase(id);
  troubles_.erase(id);
  if (!loader_.done()) newer_.insert(id);
  tools_.changes->AddGone(id);
  tools_.index->Remove({id});
}

void Tasks::EmptyTrash() {
  tools_.delete_pool->Run([home = tools_.home] { RemoveTrash(*home); }, [] {});
}

void Tasks::Retain(const Retention::Limits& limits) {
  // While tasks are still found, the oldest ones are not known.
  if (loader_.done()) return retention_.Run(limits);
  retain_ = limits;
}

}  // namespace troika
