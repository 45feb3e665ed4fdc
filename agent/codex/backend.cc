#include "agent/backend.h"

#include <memory>

#include "agent/codex/app_server.h"
#include "agent/codex/launch.h"
#include "agent/codex/model_listing.h"
#include "agent/codex/parse.h"
#include "agent/codex/rules.h"
#include "agent/codex/session_file.h"
#include "agent/codex/sessions.h"

namespace troika::codex {
namespace {

std::unique_ptr<Protocol> NewProtocol(const ProtocolOptions& options) {
  if (options.wire == Wire::kSessionFile) {
    return NewSessionFileProtocol(options);
  }
  return options.wire == Wire::kAppServer ? NewAppServerProtocol(options)
                                          : NewExecProtocol(options);
}

}  // namespace
}  // namespace troika::codex

const troika::Backend& troika::CodexBackend() {
  using namespace codex;  // NOLINT(google-build-using-namespace)
  static const auto* const kBackend = new Backend{
      .harness = Harness::kCodex,
      .display_name = Rules().name,
      .cli_names =
          {.program = "codex",
           .env = {"TROIKA_CODEX_BIN", "CODEX_CLI_PATH"},
           .install = Rules().install,
           .help = {"exec", "--help"},
           .newest_known = Rules().flags.newest,
           // The probes don't depend on sandbox_mode in the user's settings.
           .sandbox_probes =
               {
                   {{0, 34, 0}, {"debug", "landlock", "--", "true"}},
                   {{0, 63, 0}, {"sandbox", "linux", "--", "true"}},
                   {{0, 166, 0}, {"sandbox", "--", "true"}},
               }},
      .edit_modes = Rules().edit_modes,
      .native_modes = Rules().native_modes,
      .inline_output_schema = true,
      .fork_keeps_model = false,
      .login_hint = "run codex login, or set CODEX_API_KEY",
      .login_variables = LoginVariables(),
      .models = {"gpt-5.6", "gpt-5.5"},
      .model_listing = &Models(),
      .first_wire = Wire::kExec,
      .wire_capabilities = WireCapabilities,
      .capabilities = AllCapabilities,
      .NewProtocol = NewProtocol,
      .BuildLaunch = BuildLaunch,
      .LooksLoggedIn = LooksLoggedIn,
      .McpServers = McpServers,
      .sessions = &Sessions(),
  };
  return *kBackend;
}
