// The Codex CLI.
#ifndef TROIKA_AGENT_CODEX_BACKEND_H_
#define TROIKA_AGENT_CODEX_BACKEND_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/backend.h"

namespace troika::codex {

// By `codex exec --json`, which takes one prompt and asks nothing.
class CodexBackend final : public Backend {
 public:
  Harness harness() const override { return Harness::kCodex; }
  absl::string_view display_name() const override { return "Codex CLI"; }
  Capabilities capabilities(const Cli& cli) const override;
  std::unique_ptr<Protocol> NewProtocol(
      const ProtocolOptions& options) const override;

  CliNames cli_names() const override;
  absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                     const Cli& cli) const override;
  absl::Span<const EditModeRow> edit_modes() const override;
  absl::Span<const NativeModeRow> native_modes() const override;
  bool resume_keeps_session(const Cli& cli) const override;
  bool inline_images() const override { return false; }
  bool inline_output_schema() const override { return false; }
  std::optional<bool> LooksLoggedIn(const Environment& env) const override;
  absl::string_view login_hint() const override;
  std::vector<absl::string_view> models() const override;
  absl::StatusOr<std::string> LatestSession(
      absl::string_view cwd, const Environment& env) const override;
};

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_BACKEND_H_
