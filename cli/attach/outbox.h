// Sends inputs to a task, each once and in order, also if the server is gone
// for a while.
#ifndef TROIKA_CLI_ATTACH_OUTBOX_H_
#define TROIKA_CLI_ATTACH_OUTBOX_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// No I/O of its own. Not thread-safe.
class Outbox {
 public:
  // An input that the server did not take.
  struct Refused {
    std::string text;
    absl::Status why;
  };

  // Adds an input with a key of its own.
  void Add(absl::string_view text, v1::InputRequest::Mode mode);

  // Returns the input to send now, once until Settle() is called; null if there
  // is none.
  const v1::InputRequest* /*nullable*/ Take(absl::Time now);
  // Takes the server's reply to it. If the server can't be reached, the input
  // stays, and is sent with the same key next time. Returns the input if the
  // server refuses it.
  std::optional<Refused> Settle(const absl::Status& reply, absl::Time now);

  bool empty() const { return inputs_.empty(); }
  size_t size() const { return inputs_.size(); }
  // When to call Take() again; InfiniteFuture if there is nothing to send.
  absl::Time retry_at() const {
    return empty() || taken_ ? absl::InfiniteFuture() : retry_at_;
  }
  // Sends at the next opportunity, because the server is back.
  void RetryNow() { retry_at_ = absl::InfinitePast(); }

 private:
  std::deque<v1::InputRequest> inputs_;
  bool taken_ = false;  // The first input is being sent.
  absl::Time retry_at_ = absl::InfinitePast();
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_OUTBOX_H_
