#include "server/watch_stream.h"

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/json_writer.h"
#include "base/random_text.h"
#include "base/version.h"
#include "dto/status.h"

namespace troika {
namespace {

using State = http::BodySource::State;

constexpr int kHeartbeatSeconds = 15;

void AppendFrame(absl::string_view event, absl::string_view json,
                 std::string* out) {
  absl::StrAppend(out, "event: ", event, "\ndata: ", json, "\n\n");
}

std::string TaskIdJson(absl::string_view id) {
  return json::ObjectWriter().String("taskId", id).Take();
}

std::string ErrorJson(absl::string_view id, const absl::Status& error) {
  return json::ObjectWriter()
      .String("taskId", id)
      .String("code", ErrorIdOf(error.code()))
      .String("message", error.message())
      .Take();
}

// A task's part of a stream.
class WatchedTask final : public Viewer {
 public:
  WatchedTask(std::shared_ptr<TaskStream> stream, const ViewFrom& from,
              http::Waker waker)
      : Viewer(stream->shared_viewers(), std::move(waker)),
        stream_(std::move(stream)),
        from_(from) {}

  // kEnd ends this part only.
  State FillNews(size_t room, std::string* out) override {
    if (!offset_) {
      if (from_.reset == ViewFrom::Reset::kNo) {
        offset_ = stream_->file().After(from_.after);
        // Whether an event is missing is known only when all were read.
        if (!offset_ && !stream_->caught_up()) return State::kWait;
      }
      if (!offset_) {
        AppendFrame("watch_reset", TaskIdJson(stream_->task_id()), out);
        return State::kEnd;
      }
    }
    if (*offset_ < stream_->file().size()) return CopyFrames(room, out);
    return FillAtEnd(out);
  }

 private:
  std::string Heartbeat() const override { return ""; }

  // Copies whole frames, because others follow: one at least.
  State CopyFrames(size_t room, std::string* out) {
    const size_t start = out->size();
    size_t end = absl::string_view::npos;
    while (end == absl::string_view::npos) {
      const int64_t copied = static_cast<int64_t>(out->size() - start);
      const auto n = stream_->file().Read(*offset_ + copied, room, out);
      if (!n.ok() || *n == 0) {
        out->resize(start);
        AppendFrame("watch_error",
                    ErrorJson(stream_->task_id(),
                              absl::UnavailableError(
                                  "the events can't be read: try again")),
                    out);
        return State::kEnd;
      }
      end = absl::string_view(*out).substr(start).rfind("\n\n");
    }
    out->resize(start + end + 2);
    *offset_ += static_cast<int64_t>(end + 2);
    return State::kMore;
  }

  State FillAtEnd(std::string* out) {
    if (stream_->gone()) {
      AppendFrame("watch_gone", TaskIdJson(stream_->task_id()), out);
      return State::kEnd;
    }
    if (!ready_ && stream_->caught_up()) {
      ready_ = true;
      const EventId& last = stream_->file().last();
      AppendFrame("watch_ready",
                  json::ObjectWriter()
                      .String("taskId", stream_->task_id())
                      .String("lastEventId",
                              last == kBeforeAll ? "" : EventIdText(last))
                      .Take(),
                  out);
    }
    if (ready_ && seen_version_ != stream_->task_version()) {
      seen_version_ = stream_->task_version();
      AppendFrame("watch_task", stream_->task_json(), out);
    }
    return State::kWait;
  }

  const std::shared_ptr<TaskStream> stream_;
  const ViewFrom from_;
  std::optional<int64_t> offset_;
  int64_t seen_version_ = 0;
  bool ready_ = false;
};

}  // namespace

class WatchStream final : public Viewer {
 public:
  WatchStream(WatchStreams* all, std::string id, absl::string_view list,
              http::Waker waker)
      : Viewer(all->changes_.shared_viewers(), waker),
        all_(*all),
        id_(std::move(id)),
        waker_(std::move(waker)),
        list_(all->changes_.NewCursor(list)) {
    all_.streams_[id_] = this;
  }
  ~WatchStream() override { all_.streams_.erase(id_); }

  size_t watched() const { return tasks_.size(); }
  bool watches(const std::string& task_id) const {
    return tasks_.count(task_id) > 0;
  }
  void Unwatch(const std::string& task_id) { tasks_.erase(task_id); }
  // Notes that the task is being opened. Returns a number for Attach().
  int64_t Expect(const std::string& task_id) {
    tasks_[task_id] = {.number = ++last_number_};
    return last_number_;
  }
  // Begins to show the task, unless it was unwatched, or watched again, since
  // Expect(). May destroy this object.
  void Attach(const WatchedFrom& watched, int64_t number,
              absl::StatusOr<std::shared_ptr<TaskStream>> stream) {
    const auto task = tasks_.find(watched.task_id);
    if (task == tasks_.end() || task->second.number != number) return;
    if (stream.ok()) {
      task->second.view = std::make_unique<WatchedTask>(*std::move(stream),
                                                        watched.from, waker_);
    } else {
      AppendFrame("watch_error", ErrorJson(watched.task_id, stream.status()),
                  &errors_);
      tasks_.erase(task);
    }
    waker_.Wake();
  }

 private:
  struct Task {
    int64_t number = 0;
    std::unique_ptr<WatchedTask> view;  // Null while the task is opened.
  };

  State FillNews(size_t room, std::string* out) override {
    if (!std::exchange(greeted_, true)) {
      AppendFrame("hello",
                  json::ObjectWriter()
                      .String("stream", id_)
                      .String("version", kVersion)
                      .String("page", all_.page_)
                      .Json("parser", absl::StrCat(kParserVersion))
                      .Json("heartbeatSeconds", absl::StrCat(kHeartbeatSeconds))
                      .Take(),
                  out);
    }
    out->append(std::exchange(errors_, ""));
    bool more = list_.Fill(room, out) == State::kMore;
    // Tasks take turns, so that one with many events does not hold up others.
    auto task = tasks_.upper_bound(last_served_);
    for (size_t left = tasks_.size(); left > 0; --left) {
      if (task == tasks_.end()) task = tasks_.begin();
      if (out->size() >= room) return State::kMore;
      last_served_ = task->first;
      const State state =
          task->second.view == nullptr
              ? State::kWait
              : task->second.view->FillNews(room - out->size(), out);
      more = more || state == State::kMore;
      task = state == State::kEnd ? tasks_.erase(task) : std::next(task);
    }
    return more ? State::kMore : State::kWait;
  }

  std::string Heartbeat() const override {
    std::string frame;
    AppendFrame("heartbeat",
                json::ObjectWriter()
                    .String("time", absl::FormatTime(absl::RFC3339_full,
                                                     all_.clock_.Now(),
                                                     absl::UTCTimeZone()))
                    .Take(),
                &frame);
    return frame;
  }

  WatchStreams& all_;
  const std::string id_;
  const http::Waker waker_;
  ChangesCursor list_;
  std::map<std::string, Task> tasks_;
  std::string last_served_;
  std::string errors_;  // Frames about tasks that could not be opened.
  int64_t last_number_ = 0;
  bool greeted_ = false;
};

std::unique_ptr<http::BodySource> WatchStreams::New(
    absl::string_view list, std::vector<WatchedFrom> watched,
    http::Waker waker) {
  std::string id = RandomText(16);
  auto stream = std::make_unique<WatchStream>(this, id, list, std::move(waker));
  for (WatchedFrom& one : watched) Watch(id, std::move(one));
  return stream;
}

void WatchStreams::Watch(const std::string& stream, WatchedFrom watched) {
  // What is opened may wake the stream, which may end it.
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  const int64_t number = found->second->Expect(watched.task_id);
  const std::string task_id = watched.task_id;
  open_(task_id, [this, stream, number, watched = std::move(watched)](
                     absl::StatusOr<std::shared_ptr<TaskStream>> opened) {
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return;
    found->second->Attach(watched, number, std::move(opened));
  });
}

absl::Status WatchStreams::Change(const std::string& stream,
                                  std::vector<WatchedFrom> watch,
                                  const std::vector<std::string>& unwatch) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) {
    return absl::NotFoundError(absl::StrCat(
        "no stream ", stream, " is open: open another by GET /api/v1/stream"));
  }
  for (const std::string& id : unwatch) found->second->Unwatch(id);
  size_t count = found->second->watched();
  for (const WatchedFrom& one : watch) {
    if (!found->second->watches(one.task_id)) ++count;
  }
  if (count > kMaxWatched) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a stream watches at most ", kMaxWatched, " tasks: unwatch some"));
  }
  for (WatchedFrom& one : watch) Watch(stream, std::move(one));
  return absl::OkStatus();
}

}  // namespace troika
