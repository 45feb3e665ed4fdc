// Gemini CLI, run as `gemini -o stream-json`.
#ifndef TROIKA_AGENT_GEMINI_BACKEND_H_
#define TROIKA_AGENT_GEMINI_BACKEND_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "agent/backend.h"

namespace troika::gemini {

class GeminiBackend final : public Backend {
 public:
  Harness harness() const override { return Harness::kGemini; }
  absl::string_view display_name() const override { return "Gemini CLI"; }
  Capabilities capabilities() const override;
  std::unique_ptr<Protocol> NewProtocol(
      const ProtocolOptions& options) const override;
};

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_BACKEND_H_
