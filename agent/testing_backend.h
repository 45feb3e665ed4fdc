// A backend that starts nothing: a test's own overrides what it needs.
#ifndef TROIKA_AGENT_TESTING_BACKEND_H_
#define TROIKA_AGENT_TESTING_BACKEND_H_

#include <string>

#include "absl/status/status.h"
#include "agent/backend.h"

namespace troika {

class TestingBackend : public Backend {
 public:
  Harness harness() const override { return Harness::kCodex; }
  absl::string_view display_name() const override { return "Fake"; }
  Capabilities capabilities(const Cli&) const override { return {}; }
  CliNames cli_names() const override { return {.program = "fake"}; }
  absl::StatusOr<Launch> BuildLaunch(const LaunchRequest&,
                                     const Cli& cli) const override {
    return Launch{.argv = {cli.path}};
  }
  absl::Span<const EditModeRow> edit_modes() const override { return {}; }
  bool resume_keeps_session(const Cli&) const override { return true; }
  bool inline_images() const override { return false; }
  bool inline_output_schema() const override { return false; }
  std::optional<bool> LooksLoggedIn(const Environment&) const override {
    return std::nullopt;
  }
  absl::string_view login_hint() const override { return "log in"; }
  std::vector<absl::string_view> models() const override { return {}; }
  absl::StatusOr<std::string> LatestSession(absl::string_view,
                                            const Environment&) const override {
    return absl::NotFoundError("a fake has no sessions");
  }
};

}  // namespace troika

#endif  // TROIKA_AGENT_TESTING_BACKEND_H_
