#include "agent/codex/backend.h"

#include "agent/codex/args.h"
#include "agent/codex/parse.h"
#include "agent/codex/sessions.h"
#include "agent/discovery/login.h"

namespace troika::codex {

Capabilities CodexBackend::capabilities(const Cli& cli) const {
  return CapabilitiesOf(cli);
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
          .newest_known = Rules().flags.newest,
          // sandbox_mode in the user's settings makes no difference here.
          .sandbox_probes = {
              {{0, 34, 0}, {"debug", "landlock", "--", "true"}},
              {{0, 63, 0}, {"sandbox", "linux", "--", "true"}},
              {{0, 166, 0}, {"sandbox", "--", "true"}},
          }};
}

absl::StatusOr<Launch> CodexBackend::BuildLaunch(const LaunchRequest& request,
                                                 const Cli& cli) const {
  return BuildExec(request, cli);
}

absl::Span<const EditModeRow> CodexBackend::edit_modes() const {
  return Rules().edit_modes;
}

absl::Span<const NativeModeRow> CodexBackend::native_modes() const {
  return Rules().native_modes;
}

bool CodexBackend::resume_keeps_session(const Cli&) const { return true; }

std::optional<bool> CodexBackend::LooksLoggedIn(const Environment& env) const {
  static constexpr absl::string_view kVariables[] = {"CODEX_API_KEY",
                                                     "OPENAI_API_KEY"};
  if (AnySet(env, kVariables)) return true;
  const std::string folder = FolderOf(env, "CODEX_HOME", ".codex");
  if (IsFile(folder + "/auth.json")) return true;
  // Another provider needs no login of this kind, and a keyring is not ours to
  // open.
  const std::string config = folder + "/config.toml";
  if (FileHolds(config, "model_provider") ||
      FileHolds(config, "cli_auth_credentials_store")) {
    return std::nullopt;
  }
  return false;
}

absl::string_view CodexBackend::login_hint() const {
  return "run codex login, or set CODEX_API_KEY";
}

std::vector<absl::string_view> CodexBackend::models() const {
  return {"gpt-5.6", "gpt-5.5"};
}

absl::StatusOr<std::string> CodexBackend::LatestSession(
    absl::string_view cwd, const Environment& env) const {
  return codex::LatestSession(cwd, env);
}

}  // namespace troika::codex
