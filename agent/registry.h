// All backends. The only place that names all of them.
#ifndef TROIKA_AGENT_REGISTRY_H_
#define TROIKA_AGENT_REGISTRY_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/backend.h"

namespace troika {

// Those that a user can choose. They live as long as the program.
absl::Span<const Backend* const> AllBackends();
// From now on the demo is one of them. To be called before there are threads.
void EnableDemoHarness();

// The demo, too, as there may be tasks of it.
const Backend& BackendOf(Harness harness);
// NotFound lists the ids there are.
absl::StatusOr<const Backend*> BackendById(absl::string_view id);

}  // namespace troika

#endif  // TROIKA_AGENT_REGISTRY_H_
