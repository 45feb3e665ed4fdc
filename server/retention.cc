#include "server/retention.h"

#include <utility>

#include "server/load_task.h"

namespace troika {
namespace {

constexpr int kPage = 1000;
constexpr size_t kBatch = 50;

}  // namespace

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
