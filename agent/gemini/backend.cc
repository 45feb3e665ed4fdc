#include "agent/gemini/backend.h"

#include "agent/gemini/parse.h"

namespace troika::gemini {

Capabilities GeminiBackend::capabilities() const {
  // In this mode a process takes one prompt, asks nothing and reads no answer.
  return {.resume = true, .images = true, .models = true};
}

std::unique_ptr<Protocol> GeminiBackend::NewProtocol(
    const ProtocolOptions& options) const {
  return std::make_unique<GeminiProtocol>(options);
}

}  // namespace troika::gemini
