#include "server/start_queue.h"

#include "absl/strings/str_cat.h"

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

int StartQueue::RunningOf(absl::string_view harness) const {
  const auto count = running_of_.find(harness);
  return count == running_of_.end() ? 0 : count->second;
}

bool StartQueue::HasRoom(absl::string_view harness) const {
  const auto limit = limits_.running_of.find(harness);
  return limit == limits_.running_of.end() ||
         RunningOf(harness) < limit->second;
}

absl::Status StartQueue::Reserve(absl::string_view place,
                                 absl::string_view harness) {
  const auto full = [](int count, absl::string_view of, int limit,
                       absl::string_view flag) {
    return absl::ResourceExhaustedError(absl::StrCat(
        count, " tasks", of, " run already, the limit is ", limit,
        ": wait until one has ended, raise ", flag, ", or leave no_queue out"));
  };
  if (running() >= limits_.running) {
    return full(running(), "", limits_.running, "--max-running");
  }
  if (!HasRoom(harness)) {
    return full(RunningOf(harness), absl::StrCat(" of ", harness),
                limits_.running_of.find(harness)->second, "--max-running-per");
  }
  SetRunning(place, harness);
  return absl::OkStatus();
}

bool StartQueue::TakePlace(absl::string_view place, absl::string_view id) {
  const auto it = running_.find(place);
  if (it == running_.end()) return false;
  const std::string harness = it->second.harness;
  Remove(place);
  SetRunning(id, harness);
  return true;
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
