// All backends. The only place that names all three.
#ifndef TROIKA_AGENT_REGISTRY_H_
#define TROIKA_AGENT_REGISTRY_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/backend.h"

namespace troika {

// They live as long as the program.
absl::Span<const Backend* const> AllBackends();
const Backend& BackendOf(Harness harness);
// NotFound lists the ids there are.
absl::StatusOr<const Backend*> BackendById(absl::string_view id);

}  // namespace troika

#endif  // TROIKA_AGENT_REGISTRY_H_
