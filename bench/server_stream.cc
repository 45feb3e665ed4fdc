#include "bench/server_stream.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"

namespace troika::bench {
namespace {

constexpr size_t kRoom = 256 << 10;

}  // namespace

absl::StatusOr<EventStream> EventStream::Open(const BenchServer& server,
                                              const std::string& task) {
  ASSIGN_OR_RETURN(HttpConnection connection, server.Connect());
  RETURN_IF_ERROR(connection.Send(absl::StrCat(
      "GET /api/v1/tasks/", task,
      "/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
      "\r\n")));
  return EventStream(connection.Release());
}

absl::StatusOr<int64_t> EventStream::Read(
    size_t room, absl::FunctionRef<void(int64_t, int64_t)> on_message) {
  const size_t had = in_.size();
  // With this buffer, `in_` grows only by the bytes that were read.
  static char chunk[kRoom];
  const ssize_t n = read(fd_.get(), chunk, std::min(room, sizeof(chunk)));
  if (n == 0) return absl::UnavailableError("the server ended a stream");
  if (n < 0) {
    if (errno == EAGAIN || errno == EINTR) return 0;
    return absl::ErrnoToStatus(errno, "read a stream");
  }
  in_.append(chunk, static_cast<size_t>(n));
  size_t begin = 0;
  size_t from = had > 0 ? had - 1 : 0;
  for (;;) {
    const size_t end = in_.find("\n\n", from);
    if (end == std::string::npos) break;
    OnFrame(in_.data() + begin, end - begin, on_message);
    begin = from = end + 2;
  }
  in_.erase(0, begin);
  return n;
}

void EventStream::OnFrame(
    const char* begin, size_t size,
    absl::FunctionRef<void(int64_t, int64_t)> on_message) {
  // The reply's head precedes the first frame and is not an event.
  if (size < 4 || memcmp(begin, "id: ", 4) != 0) return;
  constexpr absl::string_view kText = "\"text\":{\"text\":\"@";
  const void* found = memmem(begin, size, kText.data(), kText.size());
  if (found == nullptr) return;
  char* rest = nullptr;
  const int64_t nanos =
      strtoll(static_cast<const char*>(found) + kText.size(), &rest, 10);
  const int64_t number = strtoll(rest, nullptr, 10);
  if (number == 0) {
    began_nanos_ = nanos;
    return;
  }
  if (number < next_) {
    ++repeated_;
    return;
  }
  lost_ += number - next_;
  next_ = number + 1;
  on_message(number, nanos);
}

absl::StatusOr<Seen> ReadAll(std::vector<EventStream>& streams, int64_t count) {
  Seen seen;
  const UniqueFd poll(epoll_create1(EPOLL_CLOEXEC));
  for (size_t i = 0; i < streams.size(); ++i) {
    epoll_event event = {.events = EPOLLIN, .data = {.u64 = i}};
    if (epoll_ctl(poll.get(), EPOLL_CTL_ADD, streams[i].fd(), &event) != 0) {
      return absl::ErrnoToStatus(errno, "epoll_ctl");
    }
  }
  size_t complete = 0;
  epoll_event events[64];
  while (complete < streams.size()) {
    const int n = epoll_wait(poll.get(), events, 64, kPatienceMillis);
    RETURN_IF_ERROR(CheckStop());
    if (n == 0) break;
    for (int i = 0; i < n; ++i) {
      EventStream& stream = streams[events[i].data.u64];
      const bool was_complete = stream.next() > count;
      int64_t now = 0;
      RETURN_IF_ERROR(stream
                          .Read(kRoom,
                                [&](int64_t, int64_t sent) {
                                  if (now == 0) now = NowNanos();
                                  seen.micros.push_back(
                                      static_cast<double>(now - sent) * 1e-3);
                                })
                          .status());
      if (now != 0 && seen.first_nanos == 0) seen.first_nanos = now;
      if (now != 0) seen.last_nanos = now;
      if (!was_complete && stream.next() > count) ++complete;
    }
  }
  for (const EventStream& stream : streams) {
    seen.missed +=
        stream.lost() + stream.repeated() + (count + 1 - stream.next());
  }
  return seen;
}

}  // namespace troika::bench
