#include "server/start_queue.h"

namespace troika {

void StartQueue::Wait(Entry entry) {
  ++version_;
  order_.insert(entry.key);
  order_of_[entry.harness].insert(entry.key);
  std::string id = entry.key.id;
  waiting_.emplace(std::move(id), std::move(entry));
}

void StartQueue::Add(absl::string_view id, absl::string_view harness,
                     absl::Time asked) {
  if (IsRunning(id) || IsWaiting(id)) return;
  Wait({.key = {.asked = asked, .id = std::string(id)},
        .harness = std::string(harness)});
}

void StartQueue::StopWaiting(absl::string_view id) {
  const auto it = waiting_.find(id);
  if (it == waiting_.end()) return;
  ++version_;
  order_.erase(it->second.key);
  const auto of = order_of_.find(it->second.harness);
  of->second.erase(it->second.key);
  if (of->second.empty()) order_of_.erase(of);
  waiting_.erase(it);
}

void StartQueue::Remove(absl::string_view id) {
  StopWaiting(id);
  const auto it = running_.find(id);
  if (it == running_.end()) return;
  --running_of_[it->second.harness];
  running_.erase(it);
}

void StartQueue::SetRunning(absl::string_view id, absl::string_view harness) {
  if (IsRunning(id)) return;
  Entry entry = {.key = {.id = std::string(id)},
                 .harness = std::string(harness)};
  if (const auto it = waiting_.find(id); it != waiting_.end())
    entry = it->second;
  StopWaiting(id);
  ++running_of_[entry.harness];
  running_.emplace(id, std::move(entry));
}

bool StartQueue::HasRoom(const std::string& harness) const {
  const auto limit = limits_.running_of.find(harness);
  if (limit == limits_.running_of.end()) return true;
  const auto count = running_of_.find(harness);
  return (count == running_of_.end() ? 0 : count->second) < limit->second;
}

std::optional<std::string> StartQueue::Next() {
  if (running() >= limits_.running) return std::nullopt;
  const QueueKey* first = nullptr;
  for (const auto& [harness, waiting] : order_of_) {
    if (!HasRoom(harness)) continue;
    if (first == nullptr || *waiting.begin() < *first) {
      first = &*waiting.begin();
    }
  }
  if (first == nullptr) return std::nullopt;
  std::string id = first->id;
  SetRunning(id, waiting_.find(id)->second.harness);
  return id;
}

std::optional<int> StartQueue::Position(absl::string_view id) const {
  const auto it = waiting_.find(id);
  if (it == waiting_.end()) return std::nullopt;
  return 1 + static_cast<int>(order_.order_of_key(it->second.key));
}

}  // namespace troika
