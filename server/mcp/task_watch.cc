#include "server/mcp/task_watch.h"

#include <utility>

#include "base/event_loop.h"

namespace troika {
namespace {

// The task of an agent that prints without end is checked this often.
constexpr absl::Duration kPause = absl::Milliseconds(25);

}  // namespace

class TaskWaits::Watch : public std::enable_shared_from_this<Watch> {
 public:
  Watch(TaskWaits* owner, TaskWait wait, Done done)
      : owner_(*owner),
        api_(*owner->api_),
        wait_(std::move(wait)),
        done_(std::move(done)) {}

  void Begin() {
    api_.tasks->open().GetStream(
        wait_.task,
        [weak = weak_from_this()](
            const absl::StatusOr<std::shared_ptr<TaskStream>>& stream) {
          const auto self = weak.lock();
          if (!self) return;
          if (!stream.ok()) return self->Finish(stream.status());
          self->stream_ = *stream;
          self->stream_->WhenCaughtUp([weak](TaskStream&) {
            if (const auto watch = weak.lock()) watch->Follow();
          });
        });
  }

 private:
  void Follow() {
    if (wait_.at_most <= absl::ZeroDuration()) {
      is_late_ = true;
      return Check();
    }
    deadline_ = api_.loop->NewTimer([this] {
      is_late_ = true;
      Check();
    });
    deadline_->SetIn(wait_.at_most);
    pause_ = api_.loop->NewTimer([this] { Check(); });
    listener_ = stream_->Listen([this] {
      if (!pause_->is_set()) pause_->SetIn(kPause);
    });
    Check();
  }

  void Check() {
    if (!done_) return;
    api_.tasks->open().Get(
        wait_.task, [weak = weak_from_this()](absl::StatusOr<v1::Task> task) {
          const auto self = weak.lock();
          if (!self || !self->done_) return;
          if (!task.ok() || self->is_late_ ||
              self->wait_.is_over(*task, *self->stream_)) {
            self->Finish(std::move(task));
          }
        });
  }

  void Finish(absl::StatusOr<v1::Task> task) {
    listener_.reset();
    Done done = std::exchange(done_, nullptr);
    done(std::move(task), stream_.get());
    // A timer of ours may have called us.
    api_.loop->Post([&owner = owner_, weak = weak_from_this()] {
      if (const auto self = weak.lock()) owner.watches_.erase(self);
    });
  }

  TaskWaits& owner_;
  const ApiTools& api_;
  const TaskWait wait_;
  Done done_;  // Null once it was called.
  std::shared_ptr<TaskStream> stream_;
  std::shared_ptr<void> listener_;
  std::unique_ptr<EventLoop::Timer> deadline_;
  std::unique_ptr<EventLoop::Timer> pause_;
  bool is_late_ = false;
};

TaskWaits::TaskWaits() = default;
TaskWaits::~TaskWaits() = default;

void TaskWaits::Wait(TaskWait wait, Done done) {
  const auto watch =
      std::make_shared<Watch>(this, std::move(wait), std::move(done));
  watches_.insert(watch);
  watch->Begin();
}

void TaskWaits::Drop() { watches_.clear(); }

}  // namespace troika
