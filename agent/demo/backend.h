// An agent that asks no model, for people to try Troika with: the program
// troika-demo-agent, which speaks as Claude Code does.
#ifndef TROIKA_AGENT_DEMO_BACKEND_H_
#define TROIKA_AGENT_DEMO_BACKEND_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/backend.h"
#include "agent/claude/backend.h"

namespace troika::demo {

class DemoBackend final : public Backend {
 public:
  Harness harness() const override { return Harness::kDemo; }
  absl::string_view display_name() const override { return "Demo"; }
  Capabilities capabilities(const Cli& cli) const override {
    return wire_.capabilities(cli);
  }

  std::unique_ptr<Protocol> NewProtocol(
      const ProtocolOptions& options) const override {
    return wire_.NewProtocol(options);
  }

  CliNames cli_names() const override;
  absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                     const Cli& cli) const override {
    return wire_.BuildLaunch(request, cli);
  }
  absl::Span<const EditModeRow> edit_modes() const override {
    return wire_.edit_modes();
  }
  absl::Span<const NativeModeRow> native_modes() const override {
    return wire_.native_modes();
  }
  bool resume_keeps_session(const Cli& cli) const override {
    return wire_.resume_keeps_session(cli);
  }
  bool inline_images() const override { return wire_.inline_images(); }
  bool inline_output_schema() const override {
    return wire_.inline_output_schema();
  }
  std::optional<bool> LooksLoggedIn(const Environment&) const override {
    return true;
  }
  absl::string_view login_hint() const override { return ""; }
  std::vector<absl::string_view> models() const override { return {"demo"}; }
  absl::StatusOr<std::string> LatestSession(
      absl::string_view cwd, const Environment& env) const override;

 private:
  const claude::ClaudeBackend wire_{};
};

}  // namespace troika::demo

#endif  // TROIKA_AGENT_DEMO_BACKEND_H_
