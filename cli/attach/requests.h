// Sends requests to the server from a thread of their own, so that a server
// that does not answer keeps no key waiting.
#ifndef TROIKA_CLI_ATTACH_REQUESTS_H_
#define TROIKA_CLI_ATTACH_REQUESTS_H_

#include <poll.h>

#include <atomic>
#include <deque>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/mutex.h"
#include "client/api.h"

namespace troika::cli {

// Requests are sent one after the other, in the order of Ask(). All methods but
// Post() belong to the thread that owns it. Signals must be blocked before it
// is made, because its thread has the mask of that moment.
class Requests {
 public:
  // `clock` is borrowed. options.start is called on the thread.
  Requests(const client::ServerAddress& address, client::ApiOptions options,
           Clock* clock);
  // Ends the request that is under way, within about a second, and drops the
  // others.
  ~Requests();
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  // Calls `send` on the thread, and `done` with its result by RunDone().
  template <typename Send, typename Done>
  void Ask(Send send, Done done) {
    Add([this, send = std::move(send),
         done = std::move(done)](client::ApiClient& api) mutable {
      Post([this, done = std::move(done), result = send(api)]() mutable {
        since_.pop_front();
        done(std::move(result));
      });
    });
  }
  // Has RunDone() call `work`. Thread-safe.
  void Post(absl::AnyInvocable<void()> work);

  // Readable if RunDone() has something to do.
  pollfd PollFd() const { return {.fd = done_fd_.get(), .events = POLLIN}; }
  void RunDone();

  bool idle() const { return since_.empty(); }
  // Since when the oldest request has no reply, by Clock::Awake();
  // InfiniteFuture if all have theirs.
  absl::Time waiting_since() const {
    return idle() ? absl::InfiniteFuture() : since_.front();
  }

 private:
  using Work = absl::AnyInvocable<void(client::ApiClient&)>;

  void Add(Work work);
  void Run();

  Clock& clock_;
  UniqueFd done_fd_;
  // When each request was asked for whose `done` was not called yet.
  std::deque<absl::Time> since_;
  std::atomic<bool> cancelled_ = false;

  Mutex mutex_;
  CondVar changed_;
  std::deque<Work> work_ ABSL_GUARDED_BY(mutex_);
  std::deque<absl::AnyInvocable<void()>> done_ ABSL_GUARDED_BY(mutex_);

  client::ApiClient api_;  // Only used by the thread.
  std::thread thread_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_REQUESTS_H_
