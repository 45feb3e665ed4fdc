#include "server/task_loader.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "absl/time/time.h"
#include "base/blocking.h"
#include "server/event_file.h"

namespace troika {
namespace {

constexpr int kAtOnce = 2;  // Jobs.
constexpr size_t kReadChunk = 64;
constexpr size_t kProbeChunk = 256;
constexpr int kComparePage = 2000;
constexpr absl::Duration kRetryDelay = absl::Seconds(1);

// Lets the loop, and agents, go first. Linux does so for this thread only; the
// pool's threads do nothing else.
void LowerPriority() {
  static thread_local const int lowered = setpriority(PRIO_PROCESS, 0, 10);
  (void)lowered;
}

std::vector<std::string> TakeSome(std::deque<std::string>* from, size_t count) {
  const auto end =
      from->begin() + static_cast<ptrdiff_t>(std::min(count, from->size()));
  std::vector<std::string> some(std::make_move_iterator(from->begin()),
                                std::make_move_iterator(end));
  from->erase(from->begin(), end);
  return some;
}

}  // namespace

TaskLoader::TaskLoader(const TaskTools* tools, Owner* owner)
    : tools_(*tools),
      owner_(*owner),
      retry_timer_(tools->loop->NewTimer([this] { RetrySome(); })) {}

size_t TaskLoader::remaining() const {
  return done() && in_flight_ == 0
             ? 0
             : std::max<size_t>(1, to_probe_.size() + to_read_.size());
}

std::optional<std::string> TaskLoader::FindKey(absl::string_view key) const {
  const auto it = keys_.find(key);
  if (it == keys_.end()) return std::nullopt;
  return it->second;
}

void TaskLoader::Begin() {
  ++run_;
  phase_ = Phase::kReadOpen;
  to_probe_.clear();
  to_read_.clear();
  keys_.clear();
  in_flight_ = 1;
  tools_.index->Ask<std::vector<std::string>>(
      [](BufferedTaskStore& store) { return store.store().NotEnded(); },
      [this, run = run_](absl::StatusOr<std::vector<std::string>> ids) {
        if (IsOld(run)) return;
        --in_flight_;
        if (ids.ok()) to_read_.assign(ids->begin(), ids->end());
        Advance();
      });
}

void TaskLoader::Advance() {
  if (in_flight_ > 0 && to_probe_.empty() && to_read_.empty()) return;
  if (phase_ == Phase::kProbe && !to_probe_.empty()) return Probe();
  if (phase_ != Phase::kProbe && !to_read_.empty()) return Read();
  if (in_flight_ > 0) return;
  switch (phase_) {
    case Phase::kReadOpen:
      phase_ = Phase::kList;
      List();
      break;
    case Phase::kList:
      phase_ = Phase::kCompare;
      ComparePage("");
      break;
    case Phase::kCompare:
      phase_ = Phase::kProbe;
      return Advance();
    case Phase::kProbe:
      phase_ = Phase::kRead;
      OnPhaseOver();
      return Advance();
    case Phase::kRead:
      phase_ = Phase::kDone;
      keys_.clear();
      superseded_.clear();
      break;
    case Phase::kDone:
      return;
  }
  OnPhaseOver();
}

void TaskLoader::List() {
  ++in_flight_;
  tools_.pools->load.RunFor<std::shared_ptr<Listing>>(
      [home = tools_.home] {
        AssertMayBlock("listing all tasks");
        LowerPriority();
        auto listing = std::make_shared<Listing>();
        listing->ids = home->TaskIds();
        std::reverse(listing->ids.begin(), listing->ids.end());
        return listing;
      },
      [this, run = run_](std::shared_ptr<Listing> listing) {
        if (IsOld(run)) return;
        --in_flight_;
        listing_ = std::move(listing);
        Advance();
      });
}

TaskLoader::Compared TaskLoader::Compare(
    const Home& home, Listing* listing,
    const std::vector<TaskStore::Entry>& entries) {
  AssertMayBlock("looking at all logs");
  LowerPriority();
  Compared compared;
  const auto at_end = [&] { return listing->next == listing->ids.size(); };
  for (const TaskStore::Entry& entry : entries) {
    while (!at_end() && listing->ids[listing->next] < entry.id) {
      compared.behind.push_back(listing->ids[listing->next++]);
    }
    if (at_end() || listing->ids[listing->next] != entry.id) {
      if (entry.ended && !HasFolder(home, entry.id)) {
        compared.removed.push_back(entry.id);
      }
      continue;
    }
    ++listing->next;
    // Those that have not ended were read before.
    const bool fresh =
        !entry.ended || (entry.parser_version == kParserVersion &&
                         entry.log_bytes == LogBytes(home, entry.id));
    if (!fresh) compared.behind.push_back(entry.id);
  }
  if (entries.empty()) {
    compared.behind.insert(
        compared.behind.end(),
        listing->ids.begin() + static_cast<ptrdiff_t>(listing->next),
        listing->ids.end());
  }
  return compared;
}

void TaskLoader::ComparePage(std::string after) {
  ++in_flight_;
  using Entries = std::vector<TaskStore::Entry>;
  tools_.index->Ask<Entries>(
      [after](BufferedTaskStore& store) {
        // Rows that are put from now on are newer than the listing.
        return store.store().Entries(after, kComparePage);
      },
      [this, run = run_](absl::StatusOr<Entries> entries) {
        if (IsOld(run)) return;
        // An index that can't be read has no rows: all are read again.
        auto page = std::make_shared<Entries>();
        if (entries.ok()) *page = *std::move(entries);
        tools_.pools->load.RunFor<Compared>(
            [home = tools_.home, listing = listing_, page] {
              return Compare(*home, listing.get(), *page);
            },
            [this, run, page](Compared compared) {
              if (IsOld(run)) return;
              OnCompared(std::move(compared),
                         page->empty() ? "" : page->back().id);
            });
      });
}

void TaskLoader::OnCompared(Compared compared, std::string next_after) {
  --in_flight_;
  // The newest first: they are the likeliest to be alive, or to be asked for.
  to_probe_.insert(to_probe_.begin(),
                   std::make_move_iterator(compared.behind.rbegin()),
                   std::make_move_iterator(compared.behind.rend()));
  if (!compared.removed.empty()) {
    owner_.OnRemoved(std::move(compared.removed));
  }
  if (!next_after.empty()) return ComparePage(std::move(next_after));
  listing_.reset();
  Advance();
}

void TaskLoader::Probe() {
  while (in_flight_ < kAtOnce && !to_probe_.empty()) {
    ++in_flight_;
    auto ids = TakeSome(&to_probe_, kProbeChunk);
    tools_.pools->load.RunFor<std::vector<ProbedTask>>(
        [home = tools_.home, ids = std::move(ids)] {
          LowerPriority();
          std::vector<ProbedTask> probed;
          for (const std::string& id : ids) {
            probed.push_back(ProbeTask(*home, id));
          }
          return probed;
        },
        [this, run = run_](std::vector<ProbedTask> probed) {
          if (IsOld(run)) return;
          --in_flight_;
          std::vector<std::string> alive;
          for (ProbedTask& task : probed) {
            if (!task.idempotency_key.empty()) {
              keys_.emplace(std::move(task.idempotency_key), task.id);
            }
            if (task.alive) {
              alive.push_back(std::move(task.id));
            } else {
              to_read_.push_back(std::move(task.id));
            }
          }
          if (!alive.empty()) owner_.OnAlive(std::move(alive));
          Advance();
        });
  }
}

void TaskLoader::Read() {
  while (in_flight_ < kAtOnce && !to_read_.empty()) {
    ++in_flight_;
    auto ids = TakeSome(&to_read_, kReadChunk);
    tools_.pools->load.RunFor<std::vector<LoadedTask>>(
        [home = tools_.home, ending = tools_.ending, ids = std::move(ids),
         news_after = tools_.hooks == nullptr ? absl::InfiniteFuture()
                                              : tools_.hooks->news_after()] {
          LowerPriority();
          std::vector<LoadedTask> tasks;
          for (const std::string& id : ids) {
            tasks.push_back(LoadTask(*home, id, *ending, news_after));
          }
          return tasks;
        },
        [this, run = run_](std::vector<LoadedTask> tasks) {
          if (!IsOld(run)) ReadDone(std::move(tasks));
        });
  }
}

void TaskLoader::ReadDone(std::vector<LoadedTask> tasks) {
  owner_.OnLoaded(std::move(tasks));
  // The next ones wait until the index has taken these.
  tools_.index->Ask<bool>([](BufferedTaskStore&) { return true; },
                          [this, run = run_](const absl::StatusOr<bool>&) {
                            if (IsOld(run)) return;
                            --in_flight_;
                            Advance();
                          });
}

void TaskLoader::WhenOver(Phase phase, absl::AnyInvocable<void()> then) {
  if (phase_ > phase) return then();
  waiting_.emplace_back(phase, std::move(then));
}

void TaskLoader::OnPhaseOver() {
  for (auto& [phase, then] : std::exchange(waiting_, {})) {
    WhenOver(phase, std::move(then));
  }
  owner_.OnProgress();
}

void TaskLoader::Retry(const std::string& id) {
  superseded_.erase(id);
  if (retries_.empty()) retry_timer_->SetIn(kRetryDelay);
  retries_.insert(id);
}

void TaskLoader::RetrySome() {
  // Tasks that are being probed must not be read yet.
  if (phase_ == Phase::kProbe) return retry_timer_->SetIn(kRetryDelay);
  for (const std::string& id : std::exchange(retries_, {})) {
    to_read_.push_back(id);
  }
  Advance();
}

}  // namespace troika
