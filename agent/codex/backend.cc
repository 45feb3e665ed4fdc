#include "agent/codex/backend.h"

#include "agent/codex/args.h"
#include "agent/codex/parse.h"
#include "agent/codex/sessions.h"

namespace troika::codex {

Capabilities CodexBackend::capabilities() const {
  return {.resume = true, .fork = true, .images = true, .models = true};
}

std::unique_ptr<Protocol> CodexBackend::NewProtocol(
    const ProtocolOptions& options) const {
  return NewExecProtocol(options);
}

CliNames CodexBackend::cli_names() const {
  return {.program = "codex",
          .env = {"TROIKA_CODEX_BIN", "CODEX_CLI_PATH"},
          .install = Rules().install,
          .help = {"exec", "--help"},
          .newest_known = Rules().flags.newest};
}

absl::StatusOr<Launch> CodexBackend::BuildLaunch(const LaunchRequest& request,
                                                 const Cli& cli) const {
  return BuildExec(request, cli);
}

absl::Span<const EditModeRow> CodexBackend::edit_modes() const {
  return Rules().edit_modes;
}

bool CodexBackend::resume_keeps_session(const Cli&) const { return true; }

absl::StatusOr<std::string> CodexBackend::LatestSession(
    absl::string_view cwd, const Environment& env) const {
  return codex::LatestSession(cwd, env);
}

}  // namespace troika::codex
