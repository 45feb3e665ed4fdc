#include "agent/claude/backend.h"

#include "agent/claude/args.h"
#include "agent/claude/parse.h"
#include "agent/claude/sessions.h"

namespace troika::claude {

Capabilities ClaudeBackend::capabilities() const {
  return {.follow_up = true,
          .resume = true,
          .fork = true,
          .steer = true,
          .interrupt = true,
          .approvals = true,
          .questions = true,
          .images = true,
          .models = true,
          .compaction = true};
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

bool ClaudeBackend::resume_keeps_session(const Cli& cli) const {
  // Not at 1.0.109; what came between was not tried.
  return ParseVersion(cli.version) >= Version{2, 0, 0};
}

absl::StatusOr<std::string> ClaudeBackend::LatestSession(
    absl::string_view cwd, const Environment& env) const {
  return claude::LatestSession(cwd, env);
}

}  // namespace troika::claude
