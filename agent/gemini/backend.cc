#include "agent/gemini/backend.h"

#include "agent/discovery/login.h"
#include "agent/gemini/args.h"
#include "agent/gemini/parse.h"
#include "agent/gemini/sessions.h"

namespace troika::gemini {

Capabilities GeminiBackend::capabilities(const Cli& cli) const {
  return CapabilitiesOf(cli);
}

std::unique_ptr<Protocol> GeminiBackend::NewProtocol(
    const ProtocolOptions& options) const {
  return std::make_unique<GeminiProtocol>(options);
}

CliNames GeminiBackend::cli_names() const {
  return {.program = "gemini",
          .env = {"TROIKA_GEMINI_BIN"},
          .install = Rules().install,
          .help = {"--help"},
          .newest_known = Rules().flags.newest};
}

absl::StatusOr<Launch> GeminiBackend::BuildLaunch(const LaunchRequest& request,
                                                  const Cli& cli) const {
  return BuildHeadless(request, cli);
}

absl::Span<const EditModeRow> GeminiBackend::edit_modes() const {
  return Rules().edit_modes;
}

absl::Span<const NativeModeRow> GeminiBackend::native_modes() const {
  return Rules().native_modes;
}

bool GeminiBackend::resume_keeps_session(const Cli&) const { return true; }

std::optional<bool> GeminiBackend::LooksLoggedIn(const Environment& env) const {
  static constexpr absl::string_view kVariables[] = {
      "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_GCA",
      "GOOGLE_GENAI_USE_VERTEXAI"};
  if (AnySet(env, kVariables)) return true;
  const std::string folder = FolderOf(env, "GEMINI_CLI_HOME", "") + "/.gemini";
  if (IsFile(folder + "/oauth_creds.json")) return true;
  // The CLI reads variables from there, and may have other ways in its
  // settings.
  if (IsFile(folder + "/.env") ||
      FileHolds(folder + "/settings.json", "\"selectedType\"")) {
    return std::nullopt;
  }
  return false;
}

absl::string_view GeminiBackend::login_hint() const {
  return "run gemini and log in, or set GEMINI_API_KEY";
}

std::vector<absl::string_view> GeminiBackend::models() const {
  return {"gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"};
}

absl::StatusOr<std::string> GeminiBackend::LatestSession(
    absl::string_view cwd, const Environment& env) const {
  return gemini::LatestSession(cwd, env);
}

}  // namespace troika::gemini
