#include "cli/attach/outbox.h"

#include <utility>

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

const v1::InputRequest* Outbox::Take(absl::Time now) {
  if (retry_at() > now) return nullptr;
  taken_ = true;
  return &inputs_.front();
}

std::optional<Outbox::Refused> Outbox::Settle(const absl::Status& reply,
                                              absl::Time now) {
  taken_ = false;
  if (absl::IsUnavailable(reply) || absl::IsDeadlineExceeded(reply)) {
    retry_at_ = now + kRetryAfter;
    return std::nullopt;
  }
  const std::string text = inputs_.front().text();
  inputs_.pop_front();
  if (reply.ok()) return std::nullopt;
  return Refused{.text = text, .why = reply};
}

}  // namespace troika::cli
