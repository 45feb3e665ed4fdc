// Posts webhooks for the server, which has no TLS.
#ifndef TROIKA_CLIENT_WEBHOOK_H_
#define TROIKA_CLIENT_WEBHOOK_H_

#include "config/webhook.h"

namespace troika::client {

// Posts the body once, by http or https. Follows no redirect, and reads only
// the beginning of the reply. Proxies of the environment are used. Blocks up to
// the request's timeout.
WebhookReply PostWebhook(const WebhookRequest& request);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_WEBHOOK_H_
