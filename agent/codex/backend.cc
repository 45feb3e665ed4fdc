#include "agent/codex/backend.h"

#include "agent/codex/parse.h"

namespace troika::codex {

Capabilities CodexBackend::capabilities() const {
  return {.resume = true, .fork = true, .images = true, .models = true};
}

std::unique_ptr<Protocol> CodexBackend::NewProtocol(
    const ProtocolOptions& options) const {
  return NewExecProtocol(options);
}

}  // namespace troika::codex
