// A viewer of a task's events that counts what it gets.
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
  // Reads at most `room` bytes of what there is and calls `on_message` with
  // each message's number and time (bench/server_agent.cc) but for message 0.
  // Returns the bytes read.
  absl::StatusOr<int64_t> Read(
      size_t room, absl::FunctionRef<void(int64_t, int64_t)> on_message);

  // When the agent began; 0: not known yet.
  int64_t began_nanos() const { return began_nanos_; }
  // The number of the message that should come next.
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

// What viewers of one task saw.
struct Seen {
  std::vector<double> micros;  // From the agent to us, of each message.
  int64_t missed = 0;          // Lost, or repeated, or not come in time.
  int64_t first_nanos = 0;
  int64_t last_nanos = 0;
};

// Reads all streams until each has message `count`.
absl::StatusOr<Seen> ReadAll(std::vector<EventStream>& streams, int64_t count);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SERVER_STREAM_H_
