// A viewer of a task's events, which counts them.
#ifndef TROIKA_BENCH_SERVER_STREAM_H_
#define TROIKA_BENCH_SERVER_STREAM_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/fd.h"
#include "bench/server_run.h"

namespace troika::bench {

class EventStream {
 public:
  static absl::StatusOr<EventStream> Open(const BenchServer& server,
                                          const std::string& task);

  int fd() const { return fd_.get(); }
  // Reads at most `room` available bytes and calls `on_message` with the number
  // and the time of each message except message 0 (bench/server_agent.cc).
  // Returns the number of bytes read.
  absl::StatusOr<int64_t> Read(
      size_t room, absl::FunctionRef<void(int64_t, int64_t)> on_message);

  // Returns when the agent began, or 0 if that is not known yet.
  int64_t began_nanos() const { return began_nanos_; }
  // Returns the number of the next expected message.
  int64_t next() const { return next_; }
  int64_t lost() const { return lost_; }
  int64_t repeated() const { return repeated_; }

 private:
  explicit EventStream(UniqueFd fd) : fd_(std::move(fd)) {}

  void OnFrame(const char* begin, size_t size,
               absl::FunctionRef<void(int64_t, int64_t)> on_message);

  UniqueFd fd_;
  std::string in_;
  int64_t began_nanos_ = 0;
  int64_t next_ = 1;
  int64_t lost_ = 0;
  int64_t repeated_ = 0;
};

// Messages that the viewers of one task received.
struct Seen {
  std::vector<double> micros;  // Latency of each message.
  int64_t missed = 0;          // Messages lost, repeated or late.
  int64_t first_nanos = 0;
  int64_t last_nanos = 0;
};

// Reads all streams until each has received message `count`.
absl::StatusOr<Seen> ReadAll(std::vector<EventStream>& streams, int64_t count);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SERVER_STREAM_H_
