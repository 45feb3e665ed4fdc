// A loop of one thread that waits for descriptors, timers and posted tasks, and
// calls their callbacks.
//
//   EventLoop loop;
//   auto timer = loop.NewTimer([&] { loop.Stop(); });
//   timer->SetIn(absl::Seconds(1));
//   loop.Run();
//
// Everything but Post() and Stop() is for the loop's thread only. A callback
// may destroy any watch or timer, its own included, but not the loop.
#ifndef TROIKA_BASE_EVENT_LOOP_H_
#define TROIKA_BASE_EVENT_LOOP_H_

#include <poll.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "base/mutex.h"
#include "base/poll_edge.h"

struct event_base;

namespace troika {

class EventLoop {
 public:
  // Stops watching when destroyed. Must be destroyed before its descriptor is
  // closed and before the loop.
  class Watch {
   public:
    virtual ~Watch() = default;
    // Sets POLLIN, POLLOUT or both; 0 pauses the watch, hang-ups included. The
    // call is free if nothing changes.
    virtual void SetEvents(short events) = 0;
  };

  // Does nothing before SetIn(). Stops when destroyed.
  class Timer {
   public:
    virtual ~Timer() = default;
    // Fires once and replaces the time that was set before. If `delay` is zero
    // or less, it fires in the next round.
    virtual void SetIn(absl::Duration delay) = 0;
    virtual void Cancel() = 0;
    virtual bool is_set() const = 0;
  };

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Calls `on_ready` with POLLIN or POLLOUT for as long as the descriptor is
  // ready (level-triggered, unless `events` has kPollEdge), and once for each
  // if it is ready for both. An error or a hang-up counts as the watched
  // events. Regular files can't be watched.
  std::unique_ptr<Watch> WatchFd(int fd, short events,
                                 absl::AnyInvocable<void(short)> on_ready);
  std::unique_ptr<Timer> NewTimer(absl::AnyInvocable<void()> on_time);

  // Runs `task` on the loop's thread in a later round, in the order of the
  // calls. May be called from any thread. Tasks that have not run when the loop
  // is destroyed never do.
  void Post(absl::AnyInvocable<void()> task);

  // Runs until Stop(). Forbids blocking calls meanwhile, see base/blocking.h.
  void Run();
  // Ends Run() after the tasks that were posted before. May be called from any
  // thread. If the loop does not run, its next Run() ends at once.
  void Stop();

  // Returns the longest time that one round of callbacks has taken since the
  // last call. Nothing else was served in that time. Loop thread only.
  absl::Duration TakeLongestHold();

 private:
  class FdWatch;
  class LoopTimer;

  void RunPosted();
  // Called before each callback.
  void OnCallback();
  // Called when all callbacks of a round have returned.
  void OnRoundEnd();

  event_base* const base_;
  Mutex mutex_;
  std::vector<absl::AnyInvocable<void()>> posted_ ABSL_GUARDED_BY(mutex_);
  UniqueFd wake_;  // An eventfd, readable while something is posted.
  std::atomic<int> waking_ = 0;  // Threads that are about to write to wake_.
  std::unique_ptr<Watch> wake_watch_;
  // Awake time of this round's first callback.
  std::optional<absl::Duration> round_began_;
  absl::Duration longest_hold_;
};

}  // namespace troika

#endif  // TROIKA_BASE_EVENT_LOOP_H_
