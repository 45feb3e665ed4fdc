// Starts any agent that speaks the Agent Client Protocol.
//
// The program is found by `env` on the PATH of the task's environment, so that
// the agent needs no entry in any table of ours.
#include "agent/backend.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/acp/parse.h"
#include "agent/launch/builder.h"
#include "base/status_macros.h"

namespace troika::acp {
namespace {

// The agent decides what it asks for, and nothing of that is known to us.
constexpr EditModeRow kEditModes[] = {
    {EditMode::kAsk,
     {},
     "",
     Abilities(),
     "ask: the agent asks for what its own settings do not allow; Troika does "
     "not know what that is"},
};

constexpr LaunchRules kRules = {
    .name = "an ACP agent",
    .install = "its own installer",
    .oldest = {},
    .flags = {},
    .edit_modes = kEditModes,
    .native_modes = {},
};

constexpr absl::string_view kOwnSettings =
    "the agent has its own settings for it; leave it out";

constexpr Refusal kRefusals[] = {
    {"sandbox", kOwnSettings},
    {"dangerously_bypass",
     "name one of the agent's own modes by "
     "approval_policy"},
    {"config", kOwnSettings},
    {"profile", kOwnSettings},
    {"output_schema", "ask for the form of the answer in the prompt"},
    {"skip_git_check", kOwnSettings},
    {"extra_dirs", kOwnSettings},
    {"effort", kOwnSettings},
    {"verbosity", kOwnSettings},
    {"web_search", kOwnSettings},
    {"ephemeral", kOwnSettings},
    {"base_instructions", kOwnSettings},
    {"plan_tool", kOwnSettings},
    {"local_provider", kOwnSettings},
    {"last_message_file", "the answer is the text of the result"},
};

Capabilities WireCapabilities(const Cli&, Wire) {
  return {.follow_up = true,
          .resume = true,
          .fork = true,  // Some agents can; others say so.
          .interrupt = true,
          .approvals = true,
          .images = true,
          .models = true};
}

absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                   const Cli& cli) {
  const LaunchOptions& o = request.options;
  LaunchBuilder b(kRules, request, cli);
  b.Refuse(kRefusals);
  b.ForksSession(/*at_any_turn=*/false);
  if (o.wire && *o.wire != Wire::kAcp) {
    b.Fail("wire", "an ACP agent has the wire acp only; leave it out");
  }
  if (o.acp_command.empty() || o.acp_command[0].empty() ||
      absl::StartsWith(o.acp_command[0], "-")) {
    b.Fail("harness", "acp needs a command: acp:\"PROGRAM ARGUMENT…\"");
  }
  if (o.approval_policy.empty()) {
    if (o.edit_mode != EditMode::kAsk) {
      b.Fail("edit_mode",
             "an ACP agent has only ask, and modes of its own; "
             "leave it out, or name a mode by approval_policy");
    } else {
      b.Permissions({});
    }
  } else {
    b.Permissions({"approval_policy"});
  }
  for (const std::string& word : o.acp_command) {
    if (word.find('\0') != std::string::npos) {
      b.Fail("harness", "the command holds a NUL byte");
    }
    b.Arg(word);
  }
  ASSIGN_OR_RETURN(
      Launch launch,
      std::move(b).Finish(Launch::Stdin::kConversation, Wire::kAcp));
  launch.setup_json = SetupJson({.cwd = request.cwd,
                                 .resume = request.resume_session,
                                 .mode = o.approval_policy,
                                 .model = o.model,
                                 .auth_method = "",
                                 .fork = request.fork_session});
  return launch;
}

}  // namespace
}  // namespace troika::acp

const troika::Backend& troika::AcpBackend() {
  using namespace acp;  // NOLINT(google-build-using-namespace)
  static const auto* const kBackend = new Backend{
      .harness = Harness::kAcp,
      .display_name = "an ACP agent",
      .cli_names = {.program = "env",
                    .env = {},
                    .install = "coreutils",
                    .help = {},
                    .newest_known = {},
                    .is_starter = true},
      .edit_modes = kEditModes,
      .native_modes = {},
      .inline_images = {Wire::kAcp},
      .login_hint = "log in with the agent's own program",
      .login_variables = {},
      .models = {},
      .first_wire = Wire::kAcp,
      .wire_capabilities = WireCapabilities,
      .capabilities =
          [](const Cli& cli) { return WireCapabilities(cli, Wire::kAcp); },
      .NewProtocol =
          [](const ProtocolOptions& options) -> std::unique_ptr<Protocol> {
        return std::make_unique<AcpProtocol>(options, Harness::kAcp);
      },
      .BuildLaunch = BuildLaunch,
      .LooksLoggedIn = [](const Environment&) { return std::optional<bool>(); },
  };
  return *kBackend;
}
