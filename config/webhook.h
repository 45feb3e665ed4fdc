// A webhook as the server hands it to `troika post-hook`, which has TLS, and
// the reply: each is a JSON object.
#ifndef TROIKA_CONFIG_WEBHOOK_H_
#define TROIKA_CONFIG_WEBHOOK_H_

#include <string>
#include <tuple>
#include <vector>

#include "base/fields.h"

namespace troika {

// The name of the command. It is not listed: nobody runs it by hand.
inline constexpr char kPostHookCommand[] = "post-hook";

struct WebhookRequest {
  std::string url;
  std::vector<std::string> headers;  // "webhook-id: …"
  std::string body;
  int timeout_ms = 0;
};
template <>
inline constexpr auto kFields<WebhookRequest> =
    std::tuple{Field{"url", &WebhookRequest::url},
               Field{"headers", &WebhookRequest::headers},
               Field{"body", &WebhookRequest::body},
               Field{"timeoutMs", &WebhookRequest::timeout_ms}};

struct WebhookReply {
  int status = 0;               // Status of HTTP; 0 if no reply came.
  int retry_after_seconds = 0;  // 0: the receiver does not say.
  std::string error;            // Why no reply came, or the reply's beginning.
};
template <>
inline constexpr auto kFields<WebhookReply> =
    std::tuple{Field{"status", &WebhookReply::status},
               Field{"retryAfterSeconds", &WebhookReply::retry_after_seconds},
               Field{"error", &WebhookReply::error}};

}  // namespace troika

#endif  // TROIKA_CONFIG_WEBHOOK_H_
