#include "agent/claude/backend.h"

#include "agent/claude/args.h"
#include "agent/claude/parse.h"
#include "agent/claude/sessions.h"
#include "agent/discovery/login.h"

namespace troika::claude {

Capabilities ClaudeBackend::capabilities(const Cli& cli) const {
  return CapabilitiesOf(cli);
}

std::unique_ptr<Protocol> ClaudeBackend::NewProtocol(
    const ProtocolOptions& options) const {
  return std::make_unique<ClaudeProtocol>(options);
}

CliNames ClaudeBackend::cli_names() const {
  return {.program = "claude",
          .env = {"TROIKA_CLAUDE_BIN"},
          .install = Rules().install,
          .help = {"--help"},
          .newest_known = Rules().flags.newest};
}

absl::StatusOr<Launch> ClaudeBackend::BuildLaunch(const LaunchRequest& request,
                                                  const Cli& cli) const {
  return BuildPrint(request, cli);
}

absl::Span<const EditModeRow> ClaudeBackend::edit_modes() const {
  return Rules().edit_modes;
}

absl::Span<const NativeModeRow> ClaudeBackend::native_modes() const {
  return Rules().native_modes;
}

bool ClaudeBackend::resume_keeps_session(const Cli& cli) const {
  // Not at 1.0.109; what came between was not tried.
  return ParseVersion(cli.version) >= Version{2, 0, 0};
}

std::optional<bool> ClaudeBackend::LooksLoggedIn(const Environment& env) const {
  static constexpr absl::string_view kVariables[] = {
      "ANTHROPIC_API_KEY",       "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_VERTEX"};
  if (AnySet(env, kVariables)) return true;
  const std::string folder = FolderOf(env, "CLAUDE_CONFIG_DIR", ".claude");
  if (IsFile(folder + "/.credentials.json")) return true;
  // A helper of the user's may have a key, or not.
  if (FileHolds(folder + "/settings.json", "\"apiKeyHelper\"")) {
    return std::nullopt;
  }
  // The CLI's own, which is not in that folder unless the folder was chosen.
  const std::string config =
      FolderOf(env, "CLAUDE_CONFIG_DIR", "") + "/.claude.json";
  return FileHolds(config, "\"oauthAccount\"") ||
         FileHolds(config, "\"primaryApiKey\"");
}

absl::string_view ClaudeBackend::login_hint() const {
  return "run claude and log in with /login, or set ANTHROPIC_API_KEY";
}

std::vector<absl::string_view> ClaudeBackend::models() const {
  return {"opus", "sonnet", "haiku"};
}

absl::StatusOr<std::string> ClaudeBackend::LatestSession(
    absl::string_view cwd, const Environment& env) const {
  return claude::LatestSession(cwd, env);
}

}  // namespace troika::claude
