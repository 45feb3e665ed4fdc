#include "server/start_queue.h"

#include <iterator>

namespace troika {

void StartQueue::Add(absl::string_view id, absl::string_view harness,
                     int64_t asked_us) {
  if (IsRunning(id) || IsWaiting(id)) return;
  const Place place = {.asked_us = asked_us, .id = std::string(id)};
  waiting_.emplace(place, harness);
  places_.emplace(id, place);
}

void StartQueue::StopWaiting(absl::string_view id) {
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  waiting_.erase(place->second);
  places_.erase(place);
}

void StartQueue::Remove(absl::string_view id) {
  StopWaiting(id);
  const auto it = running_.find(id);
  if (it == running_.end()) return;
  --running_of_[it->second];
  running_.erase(it);
}

void StartQueue::SetRunning(absl::string_view id, absl::string_view harness) {
  StopWaiting(id);
  if (running_.emplace(id, harness).second) ++running_of_[std::string(harness)];
}

bool StartQueue::HasRoom(const std::string& harness) const {
  const auto limit = limits_.running_of.find(harness);
  if (limit == limits_.running_of.end()) return true;
  const auto count = running_of_.find(harness);
  return count == running_of_.end() || count->second < limit->second;
}

std::optional<std::string> StartQueue::Next() {
  if (running() >= limits_.running) return std::nullopt;
  for (const auto& [place, harness] : waiting_) {
    if (!HasRoom(harness)) continue;
    std::string id = place.id;
    SetRunning(id, std::string(harness));
    return id;
  }
  return std::nullopt;
}

std::optional<int> StartQueue::Position(absl::string_view id) const {
  const auto place = places_.find(id);
  if (place == places_.end()) return std::nullopt;
  return 1 + static_cast<int>(
                 std::distance(waiting_.begin(), waiting_.find(place->second)));
}

}  // namespace troika
