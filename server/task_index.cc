#include "server/task_index.h"

#include <pthread.h>
#include <sched.h>

#include <cstdio>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr absl::Duration kRetry = absl::Seconds(1);
// Rows that one transaction writes while more requests wait.
constexpr size_t kMaxUnwritten = 200;
// More than a day in any time zone.
constexpr absl::Duration kKeepSpent = absl::Hours(48);

void Warn(absl::string_view text) {
  fprintf(stderr, "troika-server: %s\n", std::string(text).c_str());
}

}  // namespace

absl::StatusOr<std::unique_ptr<TaskIndex>> TaskIndex::Open(EventLoop* loop,
                                                           std::string path) {
  ASSIGN_OR_RETURN(TaskStore store, TaskStore::Open(path));
  if (!store.repaired().empty()) Warn(store.repaired());
  if (!store.trouble().empty()) Warn(store.trouble());
  auto spent = store.TakeSpent((absl::Now() - kKeepSpent - absl::UnixEpoch()) /
                               absl::Minutes(15));
  if (!spent.ok()) Warn(spent.status().message());
  std::unique_ptr<TaskIndex> index(
      new TaskIndex(loop, std::move(path), std::move(store)));
  if (spent.ok()) index->spent_ = *std::move(spent);
  return index;
}

TaskIndex::TaskIndex(EventLoop* loop, std::string path, TaskStore store)
    : loop_(loop),
      path_(std::move(path)),
      retry_timer_(loop->NewTimer([this] { Run([](BufferedTaskStore&) {}); })),
      store_(std::move(store)),
      reader_pool_(std::make_unique<ThreadPool>(loop, 1)),
      thread_([this] { Work(); }) {}

TaskIndex::~TaskIndex() {
  *alive_ = false;
  {
    MutexLock lock(&mutex_);
    ending_ = true;
  }
  changed_.Signal();
  thread_.join();
  reader_pool_.reset();
}

void TaskIndex::Run(Job job) {
  {
    MutexLock lock(&mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.Signal();
}

void TaskIndex::Work() {
  // Nobody waits for a row as for an event: the loop's thread goes first.
  const sched_param priority = {};
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &priority);
  while (true) {
    Job job;
    bool last = false;
    {
      MutexLock lock(&mutex_);
      while (jobs_.empty() && !ending_) changed_.Wait(&mutex_);
      if (jobs_.empty()) break;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      last = jobs_.empty();
    }
    job(store_);
    if (last || store_.unwritten() >= kMaxUnwritten) Flush();
  }
  Flush();
}

void TaskIndex::Flush() {
  const absl::Status flushed = store_.Flush();
  if (flushed.ok()) return flush_error_.clear();
  if (absl::IsDataLoss(flushed)) return Recreate(flushed);
  if (flush_error_ != flushed.message()) {
    flush_error_ = std::string(flushed.message());
    Warn(absl::StrCat("keep the index of tasks: ", flush_error_));
  }
  loop_->Post([this, alive = alive_] {
    if (*alive) retry_timer_->SetIn(kRetry);
  });
}

void TaskIndex::OnDamage(const absl::Status& damage) {
  Run([this, damage](BufferedTaskStore&) { Recreate(damage); });
}

void TaskIndex::Recreate(const absl::Status& damage) {
  // Several requests may have met the same damage.
  if (store_.store().Check().ok()) return;
  auto store = TaskStore::Recreate(path_, damage.message());
  if (!store.ok()) return Warn(store.status().message());
  Warn(store->repaired());
  store_.Replace(*std::move(store));
  loop_->Post([this, alive = alive_] {
    if (!*alive) return;
    reader_pool_->Run([this] { reader_.reset(); }, [] {});
    if (on_lost_) on_lost_();
  });
}

void TaskIndex::RunReader(ReaderJob job) {
  // Pools belong to the loop's thread.
  loop_->Post([this, alive = alive_, job = std::move(job)]() mutable {
    if (!*alive) return;
    reader_pool_->Run(
        [this, job = std::move(job)]() mutable {
          if (!reader_) {
            auto opened = TaskStore::OpenReader(path_);
            if (opened.ok()) reader_ = *std::move(opened);
          }
          if (reader_) return job(*reader_);
          // Without a connection of its own it has to wait for the others.
          Run([job = std::move(job)](BufferedTaskStore& store) mutable {
            job(store.store());
          });
        },
        [] {});
  });
}

void TaskIndex::Check() {
  Search<bool>(
      [](TaskStore& store) -> absl::StatusOr<bool> {
        RETURN_IF_ERROR(store.Check());
        return true;
      },
      [](const absl::StatusOr<bool>&) {});
}

void TaskIndex::Put(std::vector<TaskRow> rows) {
  Run([rows = std::move(rows)](BufferedTaskStore& store) mutable {
    for (TaskRow& row : rows) store.Put(std::move(row));
  });
}

void TaskIndex::Remove(std::vector<std::string> ids) {
  Run([ids = std::move(ids)](BufferedTaskStore& store) {
    for (const std::string& id : ids) store.Remove(id);
  });
}

void TaskIndex::List(TaskFilter filter, Encoding encoding, int page_size,
                     std::string before_id, Done<TaskStore::Page> done) {
  Run([this, filter = std::move(filter), encoding, page_size,
       before_id = std::move(before_id),
       done = std::move(done)](BufferedTaskStore& store) mutable {
    Flush();
    // A text is looked for in all rows; all else is found by an index.
    if (filter.text.empty() || store.unwritten() > 0 ||
        !store.store().shared()) {
      return Deliver(store.List(filter, encoding, page_size, before_id),
                     std::move(done));
    }
    RunReader([this, filter = std::move(filter), encoding, page_size,
               before_id = std::move(before_id),
               done = std::move(done)](TaskStore& reader) mutable {
      Deliver(reader.List(filter, encoding, page_size, before_id),
              std::move(done));
    });
  });
}

}  // namespace troika
