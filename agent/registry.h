// Lists all backends. Nothing else refers to all of them.
#ifndef TROIKA_AGENT_REGISTRY_H_
#define TROIKA_AGENT_REGISTRY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/backend.h"

namespace troika {

// Returns the backends that a user can choose. They are never destroyed.
absl::Span<const Backend* const> AllBackends();
// Adds the demo to AllBackends(). Must be called before any thread starts.
void EnableDemoHarness();

// Accepts kDemo even if the demo is not enabled, because there may be tasks
// that used it.
const Backend& BackendOf(Harness harness);
// The ids of AllBackends() for messages: "codex, claude, gemini".
std::string HarnessIds();
// NotFound lists the valid ids.
absl::StatusOr<const Backend*> BackendById(absl::string_view id);

}  // namespace troika

#endif  // TROIKA_AGENT_REGISTRY_H_
