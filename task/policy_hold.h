// Tells in which modes rules (policy/) can hold: they see only what a CLI asks.
#ifndef TROIKA_TASK_POLICY_HOLD_H_
#define TROIKA_TASK_POLICY_HOLD_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agent/backend.h"
#include "agent/launch/launch.h"

namespace troika {

// What an agent does without asking on this wire, in words that follow its
// name, such as "edits files in its folder"; empty if the rules can hold.
// docs/permissions.md has the table.
absl::string_view DoneWithoutAsking(Harness harness,
                                    const LaunchOptions& options);

// The notice for a process that the rules can't hold for; empty if they can.
std::string PolicyNotice(const Backend& backend, const LaunchOptions& options);

// FailedPrecondition, with what to do, if the rules can't hold.
absl::Status CheckPolicyHolds(const Backend& backend,
                              const LaunchOptions& options);

}  // namespace troika

#endif  // TROIKA_TASK_POLICY_HOLD_H_
