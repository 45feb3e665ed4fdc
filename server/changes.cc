#include "server/changes.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace troika {
namespace {

constexpr size_t kMaxBytes = size_t{4} << 20;

}  // namespace

http::BodySource::State ChangesCursor::Fill(size_t room, std::string* out) {
  if (!next_ || *next_ < changes_.complete_from_) {
    absl::StrAppend(out, "event: reset\n", IdLine(changes_.next_ - 1),
                    "data: {}\n\n");
    next_ = changes_.next_;
  }
  if (!std::exchange(ready_, true)) {
    absl::StrAppend(out, "event: ready\n", IdLine(*next_ - 1), "data: {}\n\n");
  }
  auto change = changes_.history_.lower_bound(*next_);
  for (; change != changes_.history_.end() && out->size() < room; ++change) {
    out->append(change->second.frame);
    next_ = change->first + 1;
  }
  if (change != changes_.history_.end()) return http::BodySource::State::kMore;
  next_ = changes_.next_;
  return http::BodySource::State::kWait;
}

std::string ChangesCursor::IdLine(int64_t number) const {
  return absl::StrCat("id: ", changes_.start_, ".", number, "\n");
}

namespace {

class ChangesView final : public Viewer {
 public:
  ChangesView(Changes* changes, ChangesCursor cursor, http::Waker waker)
      : Viewer(changes->shared_viewers(), std::move(waker)), cursor_(cursor) {}

 private:
  State FillNews(size_t room, std::string* out) override {
    return cursor_.Fill(room, out);
  }

  ChangesCursor cursor_;
};

}  // namespace

void Changes::AddGone(absl::string_view task_id) {
  Add(task_id, "gone", absl::StrCat("{\"id\":\"", task_id, "\"}"));
}

void Changes::Add(absl::string_view task_id, absl::string_view event,
                  absl::string_view json) {
  const int64_t number = next_++;
  if (const auto last = last_of_.find(task_id); last != last_of_.end()) {
    Forget(history_.find(last->second));
  }
  Change change = {
      .task_id = std::string(task_id),
      .frame = absl::StrCat("event: ", event, "\nid: ", start_, ".", number,
                            "\ndata: ", json, "\n\n")};
  bytes_ += change.frame.size();
  last_of_[change.task_id] = number;
  history_.emplace_hint(history_.end(), number, std::move(change));
  while (bytes_ > kMaxBytes && history_.size() > 1) {
    complete_from_ = history_.begin()->first + 1;
    Forget(history_.begin());
  }
  viewers_->Notify();
}

void Changes::Forget(std::map<int64_t, Change>::iterator change) {
  bytes_ -= change->second.frame.size();
  last_of_.erase(change->second.task_id);
  history_.erase(change);
}

ChangesCursor Changes::NewCursor(absl::string_view last_event_id) const {
  if (last_event_id.empty()) return {this, next_};
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
  return {this, next};
}

std::unique_ptr<http::BodySource> Changes::NewView(
    absl::string_view last_event_id, http::Waker waker) {
  return std::make_unique<ChangesView>(this, NewCursor(last_event_id),
                                       std::move(waker));
}

}  // namespace troika
