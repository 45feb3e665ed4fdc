// The events of a task, or the changes of all tasks, as the server streams
// them.
//
// Passive: whoever owns it polls its descriptors, so that one thread can do
// other things meanwhile. Where the connection breaks, it connects again and
// goes on after the last event, so that a server which was killed and started
// again is not noticed.
//
//   EventStream stream(place, TaskPath(id, "/events"), {.clock = &clock});
//   while (!stream.ended()) {
//     RETURN_IF_ERROR(stream.Advance([&](SseEvent&& event) { … }));
//     Wait(stream.PollFds(), stream.wake_at());
//   }
#ifndef TROIKA_CLIENT_EVENT_STREAM_H_
#define TROIKA_CLIENT_EVENT_STREAM_H_

#include <poll.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "client/curl.h"
#include "client/place.h"
#include "client/sse.h"

namespace troika::client {

struct EventStreamOptions {
  Clock* clock = nullptr;  // Borrowed.
  // Called where nobody listens, before it connects again; may be none.
  std::function<absl::Status()> start;
  std::string after;  // An event's id; empty: from the first.
};

// Not thread-safe.
class EventStream {
 public:
  using Sink = absl::FunctionRef<void(SseEvent&&)>;

  // `path` is that of the stream, from /api/v1 on.
  EventStream(Place place, std::string path, EventStreamOptions options);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  std::vector<pollfd> PollFds() const;
  // When to call Advance though nothing has come, in the clock's microseconds;
  // 0: never.
  int64_t wake_at() const;

  // Takes what there is, without waiting; `sink` gets all events, also hello,
  // ready, task, reset and gone. After a reset all events come again. An error
  // ends the stream: the server's refusal, or Unavailable where it could not be
  // reached for 30 seconds.
  absl::Status Advance(Sink sink);

  // No more comes: the task was deleted.
  bool ended() const { return ended_; }
  // Whether it waits to connect again.
  bool interrupted() const { return retry_at_ != 0; }

 private:
  static size_t OnBody(char* bytes, size_t size, size_t count, void* user);

  void Connect();
  void Disconnect();
  absl::Status OnTransferEnd(CURLcode code);
  absl::Status OnLost(CURLcode code);
  // Tries again in a while.
  absl::Status OnBroken(const absl::Status& why);
  void Take(SseEvent&& event, Sink sink);

  const Place place_;
  const std::string path_;
  const EventStreamOptions options_;
  SseParser parser_;
  CurlMulti multi_;
  CurlRequest request_;
  bool connected_ = false;  // A transfer is under way.
  bool ended_ = false;
  std::string received_;      // By curl, and not parsed yet.
  int64_t heard_at_ = 0;      // Of the server, or when connecting began.
  int64_t broken_since_ = 0;  // 0: it is not.
  int64_t retry_at_ = 0;      // 0: there is nothing to wait for.
  int64_t backoff_;
};

}  // namespace troika::client

#endif  // TROIKA_CLIENT_EVENT_STREAM_H_
