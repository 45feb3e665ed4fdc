#include "base/event_loop.h"

#include <event2/event.h>
#include <event2/event_struct.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <thread>
#include <utility>

#include "base/blocking.h"
#include "base/check.h"

namespace troika {
namespace {

event_base* NewBase() {
  event_config* config = event_config_new();
  CHECK(config != nullptr);
  // Only Post() is for other threads, and it has a lock of its own.
  event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
  event_base* base = event_base_new_with_config(config);
  event_config_free(config);
  CHECK(base != nullptr);
  return base;
}

absl::Duration AwakeTime() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::DurationFromTimespec(now);
}

// A function that may destroy the object that holds it while it runs.
template <typename... Args>
class Callback {
 public:
  explicit Callback(absl::AnyInvocable<void(Args...)> function)
      : function_(std::move(function)) {}
  ~Callback() {
    if (gone_ != nullptr) *gone_ = true;
  }

  void Call(Args... args) {
    absl::AnyInvocable<void(Args...)> function = std::move(function_);
    bool gone = false;
    gone_ = &gone;
    function(args...);
    if (gone) return;
    gone_ = nullptr;
    function_ = std::move(function);
  }

 private:
  absl::AnyInvocable<void(Args...)> function_;
  bool* gone_ = nullptr;  // Set while the function runs.
};

}  // namespace

// Uses two events, because changing the flags of one takes two system calls.
class EventLoop::FdWatch : public Watch {
 public:
  // Of `events`, kPollEdge applies for good.
  FdWatch(EventLoop* loop, int fd, short events,
          absl::AnyInvocable<void(short)> on_ready)
      : loop_(loop), on_ready_(std::move(on_ready)) {
    const auto flags = static_cast<short>(
        (events & kPollEdge) != 0 ? EV_PERSIST | EV_ET : EV_PERSIST);
    event_assign(&in_, loop->base_, fd, static_cast<short>(EV_READ | flags),
                 &OnEvent, this);
    event_assign(&out_, loop->base_, fd, static_cast<short>(EV_WRITE | flags),
                 &OnEvent, this);
    SetEvents(events);
  }
  ~FdWatch() override { SetEvents(0); }

  void SetEvents(short events) override {
    Change(&in_, events & POLLIN, events_ & POLLIN);
    Change(&out_, events & POLLOUT, events_ & POLLOUT);
    events_ = events;
  }

 private:
  static void Change(event* which, int wanted, int present) {
    if (wanted == present) return;
    if (wanted != 0) {
      CHECK(event_add(which, nullptr) == 0);
    } else {
      event_del(which);
    }
  }

  static void OnEvent(evutil_socket_t, short what, void* watch) {
    FdWatch& self = *static_cast<FdWatch*>(watch);
    self.loop_->OnCallback();
    self.on_ready_.Call((what & EV_READ) != 0 ? POLLIN : POLLOUT);
  }

  EventLoop* const loop_;
  Callback<short> on_ready_;
  short events_ = 0;
  event in_;
  event out_;
};

class EventLoop::LoopTimer : public Timer {
 public:
  LoopTimer(EventLoop* loop, absl::AnyInvocable<void()> on_time)
      : loop_(loop), on_time_(std::move(on_time)) {
    evtimer_assign(&event_, loop->base_, &OnEvent, this);
  }
  ~LoopTimer() override { event_del(&event_); }

  void SetIn(absl::Duration delay) override {
    // libevent counts from the start of the round, which may be long ago.
    event_base_update_cache_time(loop_->base_);
    const timeval time = absl::ToTimeval(
        std::clamp(delay, absl::ZeroDuration(), absl::Hours(24 * 365)));
    CHECK(event_add(&event_, &time) == 0);
  }
  void Cancel() override { event_del(&event_); }
  bool is_set() const override { return evtimer_pending(&event_, nullptr); }

 private:
  static void OnEvent(evutil_socket_t, short, void* timer) {
    LoopTimer& self = *static_cast<LoopTimer*>(timer);
    self.loop_->OnCallback();
    self.on_time_.Call();
  }

  EventLoop* const loop_;
  Callback<> on_time_;
  event event_;
};

EventLoop::EventLoop()
    : base_(NewBase()), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(wake_.ok());
  wake_watch_ = WatchFd(wake_.get(), POLLIN, [this](short) { RunPosted(); });
}

EventLoop::~EventLoop() {
  while (waking_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  wake_watch_.reset();
  event_base_free(base_);
}

std::unique_ptr<EventLoop::Watch> EventLoop::WatchFd(
    int fd, short events, absl::AnyInvocable<void(short)> on_ready) {
  return std::make_unique<FdWatch>(this, fd, events, std::move(on_ready));
}

std::unique_ptr<EventLoop::Timer> EventLoop::NewTimer(
    absl::AnyInvocable<void()> on_time) {
  return std::make_unique<LoopTimer>(this, std::move(on_time));
}

void EventLoop::Post(absl::AnyInvocable<void()> task) {
  {
    MutexLock lock(&mutex_);
    posted_.push_back(std::move(task));
    if (posted_.size() > 1) return;
    waking_.fetch_add(1, std::memory_order_relaxed);
  }
  // Without the lock, for which the loop would have to wait at once. The task
  // may run from now on and destroy the loop, which waits for waking_.
  const uint64_t one = 1;
  while (write(wake_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  waking_.fetch_sub(1, std::memory_order_release);
}

void EventLoop::RunPosted() {
  uint64_t count;
  while (read(wake_.get(), &count, sizeof(count)) < 0 && errno == EINTR) {
  }
  std::vector<absl::AnyInvocable<void()>> tasks;
  {
    MutexLock lock(&mutex_);
    tasks.swap(posted_);
  }
  for (absl::AnyInvocable<void()>& task : tasks) {
    task();
    // Frees the task's captures now, not after the other tasks.
    task = nullptr;
  }
}

void EventLoop::Run() {
  const ScopedDisallowBlocking disallow_blocking;
  // Runs round by round to measure how long each one takes.
  do {
    event_base_loop(base_, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY);
    OnRoundEnd();
  } while (event_base_got_break(base_) == 0);
}

void EventLoop::OnCallback() {
  if (!round_began_) round_began_ = AwakeTime();
}

void EventLoop::OnRoundEnd() {
  if (!round_began_) return;
  longest_hold_ = std::max(longest_hold_, AwakeTime() - *round_began_);
  round_began_.reset();
}

absl::Duration EventLoop::TakeLongestHold() {
  return std::exchange(longest_hold_, absl::ZeroDuration());
}

void EventLoop::Stop() {
  Post([this] { event_base_loopbreak(base_); });
}

}  // namespace troika
