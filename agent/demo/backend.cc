// A harness without a model, for people to try Troika: it runs the program
// troika-demo-agent, which speaks Claude Code's protocol.
#include "agent/backend.h"

#include "absl/status/status.h"

namespace troika {

const Backend& DemoBackend() {
  static const auto* const kBackend = [] {
    auto* const demo = new Backend(ClaudeBackend());
    demo->harness = Harness::kDemo;
    demo->display_name = "Demo";
    demo->cli_names.program = "troika-demo-agent";
    demo->cli_names.env = {"TROIKA_DEMO_BIN"};
    demo->cli_names.install = "the rest of Troika";
    demo->cli_names.location = CliNames::Location::kBesideUs;
    demo->login_hint = "";
    demo->models = {"demo"};
    demo->LooksLoggedIn = [](const Environment&) {
      return std::optional<bool>(true);
    };
    demo->LatestSession = [](absl::string_view, const Environment&) {
      return absl::StatusOr<std::string>(
          absl::NotFoundError("the demo keeps no sessions: start a new task"));
    };
    return demo;
  }();
  return *kBackend;
}

}  // namespace troika
