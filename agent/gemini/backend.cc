#include "agent/gemini/backend.h"

#include "agent/gemini/args.h"
#include "agent/gemini/parse.h"
#include "agent/gemini/sessions.h"

namespace troika::gemini {

Capabilities GeminiBackend::capabilities() const {
  // In this mode a process takes one prompt, asks nothing and reads no answer.
  return {.resume = true, .images = true, .models = true};
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

bool GeminiBackend::resume_keeps_session(const Cli&) const { return true; }

absl::StatusOr<std::string> GeminiBackend::LatestSession(
    absl::string_view cwd, const Environment& env) const {
  return gemini::LatestSession(cwd, env);
}

}  // namespace troika::gemini
