// One attempt to tell a hook of an event: runs its command, or posts to its
// address.
//
// A webhook is posted by `troika post-hook`, because the server itself has no
// TLS. So both kinds are child processes with a deadline.
#ifndef TROIKA_SERVER_HOOK_ATTEMPT_H_
#define TROIKA_SERVER_HOOK_ATTEMPT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "agent/discovery/command_runner.h"
#include "agent/discovery/environment.h"
#include "config/hook.h"

namespace troika {

struct HookAttempt {
  std::string name;  // The hook's.
  Hook hook;
  std::string id;    // The event's.
  std::string body;  // JSON of a v1::HookEvent.
  absl::Time now;
};

struct HookOutcome {
  absl::Status status;  // The message is without what looks like a secret.
  absl::Duration retry_after;  // The receiver wants no attempt before.
};

// Blocks up to the hook's timeout and a little more. Thread-safe.
HookOutcome TryHook(const HookAttempt& attempt, const Environment& environment,
                    CommandRunner& runner);

// The signature of a webhook, as Standard Webhooks defines it: "v1," and the
// base64 of HMAC-SHA256 over "ID.TIMESTAMP.BODY". A secret that begins with
// whsec_ is base64, others are taken as they are.
std::string WebhookSignature(absl::string_view secret, absl::string_view id,
                             int64_t timestamp, absl::string_view body);

// How long to wait after that many failed attempts: from about a second,
// doubled each time, up to half an hour. `random` is from 0 to 1.
absl::Duration HookBackoff(int attempts, double random);
// After this time an event is given up.
inline constexpr absl::Duration kHookPatience = absl::Hours(24);

}  // namespace troika

#endif  // TROIKA_SERVER_HOOK_ATTEMPT_H_
