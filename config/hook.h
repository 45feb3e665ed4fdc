// A hook of the configuration: a command or an address that is told of what
// becomes of tasks (docs/hooks.md).
#ifndef TROIKA_CONFIG_HOOK_H_
#define TROIKA_CONFIG_HOOK_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika {

// The names of what a hook can be told of, in the order of HookEvent::Kind.
inline constexpr absl::string_view kHookEventNames[] = {
    "asking", "budget", "done", "failed", "interrupted", "cancelled"};

inline constexpr absl::Duration kMaxHookTimeout = absl::Minutes(10);

struct Hook {
  // Some of kHookEventNames.
  std::vector<std::string> on = {"asking", "budget", "done", "failed"};
  // Either of them is set.
  std::vector<std::string> command;  // The program and its arguments.
  std::string url;                   // http or https.
  // The key of the signature, or the file that has it; at most one is set.
  std::string secret;
  std::string secret_file;
  // Only tasks in this folder or below it, and only those of this harness, if
  // they are set.
  std::string folder;
  std::string harness;
  absl::Duration timeout = absl::Seconds(30);  // Limit of an attempt.

  bool operator==(const Hook&) const = default;
};

// The program, or the scheme and the host of the address, to be shown: the rest
// of a webhook's address is often its secret.
std::string HookTarget(const Hook& hook);

}  // namespace troika

#endif  // TROIKA_CONFIG_HOOK_H_
