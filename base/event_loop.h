// One thread that waits for descriptors, timers, signals and tasks, and calls
// whoever asked for them.
//
//   EventLoop loop;
//   auto timer = loop.NewTimer([&] { loop.Stop(); });
//   timer->SetIn(absl::Seconds(1));
//   loop.Run();
//
// All of it is for the loop's thread only, but Post() and Stop(). A callback
// may destroy any watch or timer, its own included, but not the loop.
#ifndef TROIKA_BASE_EVENT_LOOP_H_
#define TROIKA_BASE_EVENT_LOOP_H_

#include <poll.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "base/mutex.h"

struct event_base;

namespace troika {

class EventLoop {
 public:
  // Ends when destroyed, which is before its descriptor is closed and before
  // the loop is destroyed.
  class Watch {
   public:
    virtual ~Watch() = default;
    // POLLIN, POLLOUT or both. 0: none for now, and no hang-up either. Costs
    // nothing where nothing changes. Of a signal: 0 or anything else.
    virtual void SetEvents(short events) = 0;
  };

  // Does nothing before SetIn(). Ends when destroyed.
  class Timer {
   public:
    virtual ~Timer() = default;
    // Once; replaces what was set. Zero or less: in the next round.
    virtual void SetIn(absl::Duration delay) = 0;
    virtual void Cancel() = 0;
    virtual bool is_set() const = 0;
  };

  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Calls as long as the descriptor is ready (level-triggered), with POLLIN or
  // POLLOUT; once for each where it is ready for both. An error or a hang-up
  // counts as whatever is watched. Not for regular files.
  std::unique_ptr<Watch> WatchFd(int fd, short events,
                                 absl::AnyInvocable<void(short)> on_ready);
  std::unique_ptr<Timer> NewTimer(absl::AnyInvocable<void()> on_time);
  // Only one loop of a process may watch signals.
  std::unique_ptr<Watch> WatchSignal(int signal,
                                     absl::AnyInvocable<void()> on_signal);

  // From any thread: runs in the loop's thread, in order, in a later round.
  // What has not run when the loop is destroyed never does.
  void Post(absl::AnyInvocable<void()> task);

  // Until Stop(). Forbids calls that block meanwhile, see base/blocking.h.
  void Run();
  // From any thread. What was posted before still runs. Where the loop does not
  // run, its next Run() ends at once.
  void Stop();

  // Whether the caller is in Run()'s thread; before, in the constructor's.
  bool InThread() const;

  // The longest time that one round of callbacks took since the last call: for
  // so long nothing else was looked at. Loop thread only.
  absl::Duration TakeLongestHold();

 private:
  class FdWatch;
  class SignalWatch;
  class LoopTimer;

  void RunPosted();
  // Called before each callback.
  void OnCallback();
  // Called when all callbacks of a round have returned.
  void OnRoundEnd();

  event_base* const base_;
  std::atomic<std::thread::id> thread_;
  Mutex mutex_;
  std::vector<absl::AnyInvocable<void()>> posted_ ABSL_GUARDED_BY(mutex_);
  UniqueFd wake_;  // An eventfd, readable while something is posted.
  std::unique_ptr<Watch> wake_watch_;
  int64_t round_began_ns_ = 0;  // 0: no callback was called in this round.
  int64_t longest_hold_ns_ = 0;
};

}  // namespace troika

#endif  // TROIKA_BASE_EVENT_LOOP_H_
