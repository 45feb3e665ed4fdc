#include "server/task_stream.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace troika {
namespace {

class TaskView final : public Viewer {
 public:
  TaskView(std::shared_ptr<TaskStream> stream, const ViewFrom& from,
           http::Waker waker)
      : Viewer(stream->shared_viewers(), std::move(waker)),
        stream_(std::move(stream)),
        from_(from) {}

 private:
  State FillNews(size_t room, std::string* out) override {
    if (!begun_ && !Begin(out)) return State::kWait;
    const EventFile& file = stream_->file();
    if (offset_ < file.size()) {
      const auto n = file.Read(offset_, room, out);
      // A file that can't be read is as good as gone: the viewer comes again.
      if (!n.ok() || *n == 0) return State::kEnd;
      offset_ += static_cast<int64_t>(*n);
      return State::kMore;
    }
    return FillAtEnd(out);
  }

  // Finds where to begin. Whether an event is missing is known only when all of
  // them have been read.
  bool Begin(std::string* out) {
    if (!greeted_) {
      greeted_ = true;
      absl::StrAppend(out, "event: hello\ndata: {\"parser\":", kParserVersion,
                      "}\n\n");
    }
    std::optional<int64_t> offset;
    if (from_.reset == ViewFrom::Reset::kNo) {
      offset = stream_->file().After(from_.after);
      if (!offset && !stream_->caught_up()) return false;
    }
    if (!offset) {
      absl::StrAppend(out, "event: reset\ndata: {}\n\n");
      offset = stream_->file().begin();
    }
    offset_ = *offset;
    begun_ = true;
    return true;
  }

  State FillAtEnd(std::string* out) {
    if (stream_->gone()) {
      absl::StrAppend(out, "event: gone\ndata: {}\n\n");
      return State::kEnd;
    }
    if (!ready_ && stream_->caught_up()) {
      ready_ = true;
      const EventId& last = stream_->file().last();
      absl::StrAppend(out, "event: ready\ndata: {\"lastEventId\":\"",
                      last == kBeforeAll ? "" : EventIdText(last), "\"}\n\n");
    }
    if (ready_ && seen_version_ != stream_->task_version()) {
      seen_version_ = stream_->task_version();
      absl::StrAppend(out, "event: task\ndata: ", stream_->task_json(), "\n\n");
    }
    return State::kWait;
  }

  const std::shared_ptr<TaskStream> stream_;
  const ViewFrom from_;
  int64_t offset_ = 0;
  int64_t seen_version_ = 0;
  bool greeted_ = false;
  bool begun_ = false;
  bool ready_ = false;
};

}  // namespace

void TaskStream::SetTask(std::string json) {
  if (json == task_json_) return;
  task_json_ = std::move(json);
  ++task_version_;
}

void TaskStream::SetGone() {
  gone_ = true;
  caught_up_ = true;
  Notify();
}

void TaskStream::Notify() {
  if (caught_up_) {
    for (auto& then : std::exchange(when_caught_up_, {})) then(*this);
  }
  viewers_->Notify();
  // A listener may come or go during the calls.
  const std::vector<std::weak_ptr<Listener>> listeners = listeners_;
  for (const std::weak_ptr<Listener>& listener : listeners) {
    if (const auto living = listener.lock()) (*living)();
  }
}

std::shared_ptr<void> TaskStream::Listen(Listener listener) {
  listeners_.erase(
      std::remove_if(listeners_.begin(), listeners_.end(),
                     [](const auto& one) { return one.expired(); }),
      listeners_.end());
  auto living = std::make_shared<Listener>(std::move(listener));
  listeners_.push_back(living);
  return living;
}

void TaskStream::WhenCaughtUp(absl::AnyInvocable<void(TaskStream&)> then) {
  if (caught_up_) return then(*this);
  when_caught_up_.push_back(std::move(then));
}

absl::StatusOr<std::shared_ptr<TaskStream>> TaskStreams::Open(
    const std::string& id, int folder_fd) {
  if (std::shared_ptr<TaskStream> stream = streams_[id].lock()) return stream;
  return Add(id, EventFile::Open(folder_fd, id));
}

absl::StatusOr<std::shared_ptr<TaskStream>> TaskStreams::Add(
    const std::string& id, absl::StatusOr<std::unique_ptr<EventFile>> file) {
  RETURN_IF_ERROR(file.status());
  auto stream = std::make_shared<TaskStream>(id, *std::move(file));
  streams_[id] = stream;
  return stream;
}

void TaskStreams::Remove(const std::string& id) {
  const auto removed = streams_.extract(id);
  if (removed.empty()) return;
  if (const auto stream = removed.mapped().lock()) stream->SetGone();
}

std::vector<std::shared_ptr<TaskStream>> TaskStreams::Watched() const {
  std::vector<std::shared_ptr<TaskStream>> watched;
  for (const auto& [id, weak] : streams_) {
    std::shared_ptr<TaskStream> stream = weak.lock();
    if (stream && stream->viewers().size() > 0)
      watched.push_back(std::move(stream));
  }
  return watched;
}

size_t TaskStreams::viewers() const {
  size_t viewers = 0;
  for (const auto& stream : Watched()) viewers += stream->viewers().size();
  return viewers;
}

void TaskStreams::SendHeartbeats() {
  for (const auto& stream : Watched()) stream->viewers().SendHeartbeats();
  for (auto it = streams_.begin(); it != streams_.end();) {
    it = it->second.expired() ? streams_.erase(it) : std::next(it);
  }
}

std::unique_ptr<http::BodySource> NewTaskView(
    std::shared_ptr<TaskStream> stream, const ViewFrom& from,
    http::Waker waker) {
  return std::make_unique<TaskView>(std::move(stream), from, std::move(waker));
}

}  // namespace troika
