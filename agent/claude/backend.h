// Claude Code.
#ifndef TROIKA_AGENT_CLAUDE_BACKEND_H_
#define TROIKA_AGENT_CLAUDE_BACKEND_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/backend.h"

namespace troika::claude {

class ClaudeBackend final : public Backend {
 public:
  Harness harness() const override { return Harness::kClaude; }
  absl::string_view display_name() const override { return "Claude Code"; }
  Capabilities capabilities(const Cli& cli) const override;

  std::unique_ptr<Protocol> NewProtocol(
      const ProtocolOptions& options) const override;

  CliNames cli_names() const override;
  absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                     const Cli& cli) const override;
  absl::Span<const EditModeRow> edit_modes() const override;
  absl::Span<const NativeModeRow> native_modes() const override;
  bool resume_keeps_session(const Cli& cli) const override;
  bool inline_images() const override { return true; }
  bool inline_output_schema() const override { return true; }
  std::optional<bool> LooksLoggedIn(const Environment& env) const override;
  absl::string_view login_hint() const override;
  std::vector<absl::string_view> models() const override;
  absl::StatusOr<std::string> LatestSession(
      absl::string_view cwd, const Environment& env) const override;
};

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_BACKEND_H_
