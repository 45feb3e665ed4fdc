// Claude Code.
#ifndef TROIKA_AGENT_CLAUDE_BACKEND_H_
#define TROIKA_AGENT_CLAUDE_BACKEND_H_

#include <memory>

#include "agent/backend.h"

namespace troika::claude {

class ClaudeBackend final : public Backend {
 public:
  Harness harness() const override { return Harness::kClaude; }
  absl::string_view display_name() const override { return "Claude Code"; }
  Capabilities capabilities() const override;

  std::unique_ptr<Protocol> NewProtocol(
      const ProtocolOptions& options) const override;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_BACKEND_H_
