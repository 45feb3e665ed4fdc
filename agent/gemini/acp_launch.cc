#include "agent/gemini/acp_launch.h"

#include "absl/strings/string_view.h"
#include "agent/acp/parse.h"

namespace troika::gemini {
namespace {

// The wire's name for a value of --approval-mode.
absl::string_view ModeId(absl::string_view approval_mode) {
  return approval_mode == "auto_edit" ? "autoEdit" : approval_mode;
}

}  // namespace

Wire ChooseWire(const LaunchOptions& options) {
  if (options.wire) return *options.wire;
  const bool asks = options.edit_mode == EditMode::kAsk;
  return asks || options.interactive ? Wire::kAcp : Wire::kStreamJson;
}

std::string AcpSetupJson(const LaunchRequest& request, const Launch& launch,
                         AcpSessions sessions) {
  acp::SessionSetup setup = {.cwd = request.cwd,
                             .resume = request.resume_session,
                             .mode = "",
                             .model = "",
                             .auth_method = ""};
  if (sessions == AcpSessions::kLoadable) {
    for (size_t i = 0; i + 1 < launch.argv.size(); ++i) {
      if (launch.argv[i] != "--approval-mode") continue;
      setup.mode = std::string(ModeId(launch.argv[i + 1]));
    }
  }
  return acp::SetupJson(setup);
}

}  // namespace troika::gemini
