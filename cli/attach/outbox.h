// Sends inputs to a task, each once and in order, also if the server is gone
// for a while.
#ifndef TROIKA_CLI_ATTACH_OUTBOX_H_
#define TROIKA_CLI_ATTACH_OUTBOX_H_

#include <cstddef>
#include <deque>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// No I/O of its own. Not thread-safe.
class Outbox {
 public:
  using Send = absl::FunctionRef<absl::Status(const v1::InputRequest&)>;

  // An input that the server did not take.
  struct Refused {
    std::string text;
    absl::Status why;
  };

  // Adds an input with a key of its own.
  void Add(absl::string_view text, v1::InputRequest::Mode mode);

  // Sends what waits. Inputs stay, and are sent with the same key next time, if
  // the server can't be reached: returns that error. `refused` is called for
  // those that it refuses.
  absl::Status Flush(Send send, absl::FunctionRef<void(const Refused&)> refused,
                     absl::Time now);

  bool empty() const { return inputs_.empty(); }
  size_t size() const { return inputs_.size(); }
  // When to flush again; InfiniteFuture if nothing waits.
  absl::Time retry_at() const {
    return empty() ? absl::InfiniteFuture() : retry_at_;
  }
  // Sends at the next opportunity, because the server is back.
  void RetryNow() { retry_at_ = absl::InfinitePast(); }

 private:
  std::deque<v1::InputRequest> inputs_;
  absl::Time retry_at_ = absl::InfinitePast();
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_OUTBOX_H_
