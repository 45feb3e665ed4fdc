#include "server/changes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace troika {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

}  // namespace

class ChangesView final : public http::BodySource {
 public:
  ChangesView(Changes* changes, std::optional<int64_t> next, http::Waker waker)
      : changes_(*changes), next_(next), waker_(std::move(waker)) {
    changes_.viewers_.push_back(this);
  }
  ~ChangesView() override {
    auto& all = changes_.viewers_;
    all.erase(std::find(all.begin(), all.end(), this));
  }

  State Fill(size_t room, std::string* out) override {
    sent_ = true;
    const int64_t oldest =
        changes_.ring_.empty() ? changes_.next_ : changes_.ring_.front().number;
    if (!next_ || *next_ < oldest) {
      absl::StrAppend(out, "event: reset\n", IdLine(changes_.next_ - 1),
                      "data: {}\n\n");
      next_ = changes_.next_;
    }
    if (!std::exchange(ready_, true)) {
      absl::StrAppend(out, "event: ready\n", IdLine(*next_ - 1),
                      "data: {}\n\n");
    }
    while (*next_ < changes_.next_ && out->size() < room) {
      const auto& change = changes_.ring_[static_cast<size_t>(*next_ - oldest)];
      absl::StrAppend(out, "event: ", change.event, "\n", IdLine(change.number),
                      "data: ", change.json, "\n\n");
      ++*next_;
    }
    if (*next_ < changes_.next_) return State::kMore;
    if (std::exchange(beat_, false) && out->empty()) out->append(": beat\n\n");
    return State::kWait;
  }

  void OnNews() { waker_.Wake(); }
  void OnBeat() {
    if (std::exchange(sent_, false)) return;
    beat_ = true;
    waker_.Wake();
  }

 private:
  std::string IdLine(int64_t number) const {
    return absl::StrCat("id: ", changes_.start_, ".", number, "\n");
  }

  Changes& changes_;
  std::optional<int64_t> next_;  // Nothing: it was lost.
  const http::Waker waker_;
  bool ready_ = false;
  bool sent_ = false;
  bool beat_ = false;
};

void Changes::AddGone(absl::string_view task_id) {
  Add("gone", absl::StrCat("{\"id\":\"", task_id, "\"}"));
}

void Changes::Add(absl::string_view event, absl::string_view json) {
  ring_.push_back(
      {.number = next_++, .event = event, .json = std::string(json)});
  bytes_ += json.size();
  while (bytes_ > kMaxBytes && ring_.size() > 1) {
    bytes_ -= ring_.front().json.size();
    ring_.pop_front();
  }
  // They may leave within.
  const std::vector<ChangesView*> viewers = viewers_;
  for (ChangesView* viewer : viewers) {
    if (std::find(viewers_.begin(), viewers_.end(), viewer) != viewers_.end()) {
      viewer->OnNews();
    }
  }
}

void Changes::Beat() {
  const std::vector<ChangesView*> viewers = viewers_;
  for (ChangesView* viewer : viewers) {
    if (std::find(viewers_.begin(), viewers_.end(), viewer) != viewers_.end()) {
      viewer->OnBeat();
    }
  }
}

std::unique_ptr<http::BodySource> Changes::NewView(
    absl::string_view last_event_id, http::Waker waker) {
  if (last_event_id.empty()) {
    return std::make_unique<ChangesView>(this, next_, std::move(waker));
  }
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(last_event_id, absl::MaxSplits('.', 1));
  int64_t start = 0;
  int64_t number = 0;
  std::optional<int64_t> next;
  if (absl::SimpleAtoi(parts.first, &start) && start == start_ &&
      absl::SimpleAtoi(parts.second, &number) && number >= 0 &&
      number < next_) {
    next = number + 1;
  }
  return std::make_unique<ChangesView>(this, next, std::move(waker));
}

}  // namespace troika
