#include "agent/claude/backend.h"

#include "agent/claude/parse.h"

namespace troika::claude {

Capabilities ClaudeBackend::capabilities() const {
  return {.follow_up = true,
          .resume = true,
          .fork = true,
          .steer = true,
          .interrupt = true,
          .approvals = true,
          .questions = true,
          .images = true,
          .models = true,
          .compaction = true};
}

std::unique_ptr<Protocol> ClaudeBackend::NewProtocol(
    const ProtocolOptions& options) const {
  return std::make_unique<ClaudeProtocol>(options);
}

}  // namespace troika::claude
