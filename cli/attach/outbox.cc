#include "cli/attach/outbox.h"

#include "base/json.h"
#include "client/api.h"

namespace troika::cli {
namespace {

constexpr absl::Duration kRetryAfter = absl::Seconds(2);

}  // namespace

void Outbox::Add(absl::string_view text, v1::InputRequest::Mode mode) {
  v1::InputRequest request;
  request.set_text(json::ToValidUtf8(text));
  request.set_mode(mode);
  request.set_attached(true);
  request.set_idempotency_key(client::NewIdempotencyKey());
  inputs_.push_back(std::move(request));
  RetryNow();
}

absl::Status Outbox::Flush(Send send,
                           absl::FunctionRef<void(const Refused&)> refused,
                           absl::Time now) {
  while (!inputs_.empty()) {
    const absl::Status sent = send(inputs_.front());
    if (absl::IsUnavailable(sent) || absl::IsDeadlineExceeded(sent)) {
      retry_at_ = now + kRetryAfter;
      return sent;
    }
    const v1::InputRequest request = std::move(inputs_.front());
    inputs_.pop_front();
    if (!sent.ok()) refused({.text = request.text(), .why = sent});
  }
  return absl::OkStatus();
}

}  // namespace troika::cli
