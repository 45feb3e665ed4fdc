// The Codex CLI.
#ifndef TROIKA_AGENT_CODEX_BACKEND_H_
#define TROIKA_AGENT_CODEX_BACKEND_H_

#include <memory>

#include "agent/backend.h"

namespace troika::codex {

// By `codex exec --json`, which takes one prompt and asks nothing.
class CodexBackend final : public Backend {
 public:
  Harness harness() const override { return Harness::kCodex; }
  absl::string_view display_name() const override { return "Codex CLI"; }
  Capabilities capabilities() const override;
  std::unique_ptr<Protocol> NewProtocol(
      const ProtocolOptions& options) const override;
};

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_BACKEND_H_
