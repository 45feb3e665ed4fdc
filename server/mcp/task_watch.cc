#include "server/mcp/task_watch.h"

#include <memory>
#include <utility>

#include "base/event_loop.h"

namespace troika {
namespace {

// An agent that prints without end is looked at this often.
constexpr absl::Duration kPause = absl::Milliseconds(25);

// Keeps itself alive by the callbacks of its timers until it is done.
class Watch : public std::enable_shared_from_this<Watch> {
 public:
  Watch(const ApiTools& api, TaskWait wait, WaitDone done)
      : api_(api), wait_(std::move(wait)), done_(std::move(done)) {}

  void Begin() {
    api_.tasks->open().GetStream(
        wait_.task,
        [self = shared_from_this()](
            const absl::StatusOr<std::shared_ptr<TaskStream>>& stream) {
          if (!stream.ok()) return self->Finish(stream.status());
          self->stream_ = *stream;
          self->stream_->WhenCaughtUp([self](TaskStream&) { self->Follow(); });
        });
  }

 private:
  void Follow() {
    const auto self = shared_from_this();
    deadline_ = api_.loop->NewTimer([self] { self->OnDeadline(); });
    deadline_->SetIn(wait_.at_most);
    pause_ = api_.loop->NewTimer([self] { self->Look(); });
    listener_ = stream_->Listen([this] {
      if (!pause_->is_set()) pause_->SetIn(kPause);
    });
    Look();
  }

  void OnDeadline() {
    is_late_ = true;
    Look();
  }

  void Look() {
    if (!done_) return;
    api_.tasks->open().Get(
        wait_.task, [self = shared_from_this()](absl::StatusOr<v1::Task> task) {
          if (!self->done_) return;
          if (!task.ok() || self->is_late_ ||
              self->wait_.is_over(*task, *self->stream_)) {
            self->Finish(std::move(task));
          }
        });
  }

  void Finish(absl::StatusOr<v1::Task> task) {
    listener_.reset();
    WaitDone done = std::exchange(done_, nullptr);
    done(std::move(task), stream_.get());
    // The timers' callbacks own us, so this may be our end.
    api_.loop->Post(
        [deadline = std::shared_ptr<EventLoop::Timer>(std::move(deadline_)),
         pause = std::shared_ptr<EventLoop::Timer>(std::move(pause_))] {});
  }

  const ApiTools& api_;
  const TaskWait wait_;
  WaitDone done_;  // Null once it was called.
  std::shared_ptr<TaskStream> stream_;
  std::shared_ptr<void> listener_;
  std::unique_ptr<EventLoop::Timer> deadline_;
  std::unique_ptr<EventLoop::Timer> pause_;
  bool is_late_ = false;
};

}  // namespace

void WaitForTask(const ApiTools& api, TaskWait wait, WaitDone done) {
  std::make_shared<Watch>(api, std::move(wait), std::move(done))->Begin();
}

}  // namespace troika
