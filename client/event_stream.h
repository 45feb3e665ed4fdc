// Streams the events of a task, or the changes of all tasks, from the server.
//
// Passive: the owner polls its descriptors, so that one thread can do other
// things meanwhile. If the connection breaks, it connects again and continues
// after the last event, so a restart of the server goes unnoticed.
//
//   EventStream stream(address, TaskPath(id, "/events"), {.clock = &clock});
//   while (!stream.ended()) {
//     RETURN_IF_ERROR(stream.Advance([&](SseEvent&& event) { … }));
//     Wait(stream.PollFds(), stream.wake_at());
//   }
#ifndef TROIKA_CLIENT_EVENT_STREAM_H_
#define TROIKA_CLIENT_EVENT_STREAM_H_

#include <poll.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "client/address.h"
#include "client/curl.h"
#include "client/sse.h"

namespace troika::client {

struct EventStreamOptions {
  Clock* clock = nullptr;  // Borrowed.
  // Starts a server if none listens, before it connects again; may be null.
  std::function<absl::Status()> start;
  std::string after;  // Id of an event; empty to begin with the first.
};

// Not thread-safe.
class EventStream {
 public:
  using Sink = absl::FunctionRef<void(SseEvent&&)>;

  // `path` begins with /api/v1.
  EventStream(ServerAddress address, std::string path,
              EventStreamOptions options);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  std::vector<pollfd> PollFds() const;
  // When to call Advance even if nothing has come, by Clock::Awake().
  absl::Time wake_at() const;

  // Reads what has come, without waiting. `sink` gets all events, including
  // hello, ready, task, reset and gone; after a reset all events come again. An
  // error ends the stream: the server's refusal, or Unavailable if it could not
  // be reached for 30 seconds.
  absl::Status Advance(Sink sink);

  // Whether the stream is over, because the task was deleted or on an error.
  bool ended() const { return ended_; }
  // Whether the connection broke and it waits to connect again.
  bool interrupted() const { return retry_at_.has_value(); }

 private:
  static size_t OnBody(char* bytes, size_t size, size_t count, void* user);

  void Connect();
  void Disconnect();
  absl::Status OnTransferEnd(CURLcode code);
  absl::Status OnConnectionLost(CURLcode code);
  // Schedules the next try, or gives up with an error.
  absl::Status OnBroken(const absl::Status& why);
  void Take(SseEvent&& event, Sink sink);

  const ServerAddress address_;
  const std::string path_;
  const EventStreamOptions options_;
  SseParser parser_;
  CurlMulti multi_;
  CurlRequest request_;
  bool connected_ = false;  // A transfer is under way.
  bool ended_ = false;
  std::string received_;  // Bytes that are not parsed yet.
  absl::Time heard_at_;   // Last byte received, or start of connecting.
  std::optional<absl::Time> broken_since_;
  std::optional<absl::Time> retry_at_;
  absl::Duration backoff_;
};

}  // namespace troika::client

#endif  // TROIKA_CLIENT_EVENT_STREAM_H_
