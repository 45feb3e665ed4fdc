#include "server/start_queue.h"

namespace troika {

void StartQueue::Wait(Entry entry) {
  ++version_;
  order_.insert(entry.place);
  order_of_[entry.harness].insert(entry.place);
  std::string id = entry.place.id;
  places_.emplace(std::move(id), std::move(entry));
}

void StartQueue::Add(absl::string_view id, absl::string_view harness,
                     absl::Time asked) {
  if (IsRunning(id) || IsWaiting(id)) return;
  Wait({.place = {.asked = asked, .id = std::string(id)},
        .harness = std::string(harness)});
}

void StartQueue::StopWaiting(absl::string_view id) {
  const auto it = places_.find(id);
  if (it == places_.end()) return;
  ++version_;
  order_.erase(it->second.place);
  const auto of = order_of_.find(it->second.harness);
  of->second.erase(it->second.place);
  if (of->second.empty()) order_of_.erase(of);
  places_.erase(it);
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
  Entry entry = {.place = {.id = std::string(id)},
                 .harness = std::string(harness)};
  if (const auto it = places_.find(id); it != places_.end()) entry = it->second;
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
  const Place* first = nullptr;
  for (const auto& [harness, waiting] : order_of_) {
    if (!HasRoom(harness)) continue;
    if (first == nullptr || *waiting.begin() < *first) {
      first = &*waiting.begin();
    }
  }
  if (first == nullptr) return std::nullopt;
  std::string id = first->id;
  SetRunning(id, places_.find(id)->second.harness);
  return id;
}

std::optional<int> StartQueue::Position(absl::string_view id) const {
  const auto it = places_.find(id);
  if (it == places_.end()) return std::nullopt;
  return 1 + static_cast<int>(order_.order_of_key(it->second.place));
}

}  // namespace troika
