// Builds the command line of `claude -p`, versions 0.2.118 to 2.1.325.
//
// One process serves the whole conversation and takes prompts as lines on
// stdin. Versions without --input-format take one prompt, as plain text.
//
// Neither of the modes "default" and "plan" keeps Claude Code from writing:
// both run what its settings allow. Tools that the command line disallows don't
// run, in subagents either; so research mode is a list of tools. Ask mode is a
// list of ask rules, which precede the allow rules of all settings.
#include "agent/backend.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "agent/claude/cli_files.h"
#include "agent/claude/parse.h"
#include "agent/claude/session_file.h"
#include "agent/claude/settings.h"
#include "agent/launch/builder.h"

namespace troika::claude {
namespace {

constexpr FlagRow kFlags[] = {
    {"--resume"},
    {"--allowedTools"},
    {"--disallowedTools"},
    {"--dangerously-skip-permissions"},
    {"--model", {1, 0, 0}},
    {"--permission-mode", {1, 0, 15}},
    {"--input-format", {1, 0, 21}},
    {"--add-dir", {1, 0, 21}},
    {"--session-id", {1, 0, 53}},
    {.flag = "--system-prompt-file",
     .first = {1, 0, 55},
     .help = FlagRow::Help::kUnlisted},
    // Existed before, but "stdio" did not work.
    {.flag = "--permission-prompt-tool",
     .first = {1, 0, 60},
     .help = FlagRow::Help::kUnlisted},
    {"--settings", {1, 0, 61}},
    // A control request that changes the model of a process.
    {.flag = "set_model",
     .first = {2, 0, 50},
     .help = FlagRow::Help::kUnlisted},
    {"--fork-session", {1, 0, 119}},
    {.flag = "--resume-session-at",
     .first = {2, 0, 50},
     .help = FlagRow::Help::kUnlisted},
    // Earlier versions exit: "… content to have exactly one item".
    {.flag = "images in its prompts",
     .first = {1, 0, 63},
     .help = FlagRow::Help::kUnlisted},
    {"--json-schema", {2, 0, 45}},
    {"--no-session-persistence", {2, 0, 65}},
    // Earlier versions (2.0.70) do not offer it to the model with -p.
    {.flag = "AskUserQuestion",
     .first = {2, 0, 71},
     .help = FlagRow::Help::kUnlisted},
    {"--effort", {2, 1, 42}},
};

constexpr Version kOldest = {0, 2, 118};
constexpr Version kWithModes = {1, 0, 15};
constexpr Version kWithAskRules = {1, 0, 80};
constexpr Version kWithoutMultiEdit = {2, 0, 0};
// Ask rules also precede what hooks allow, and "mcp__*" names all MCP tools.
constexpr Version kWithStrictAskRules = {2, 1, 197};
constexpr absl::string_view kNoSandbox =
    "full_auto: Claude Code runs commands without a sandbox, and they can "
    "reach "
    "all that its user can";

constexpr absl::string_view kHooksAllow =
    "ask: what hooks in Claude Code's settings allow, and tools of MCP servers "
    "that the settings allow, happen without a question; from 2.1.197 on they "
    "are asked for";

// Commands and other edits need an approval or are refused.
constexpr Abilities kReads = {Ability::kReadOutside};
constexpr Abilities kEdits = {Ability::kReadOutside, Ability::kEdit};

constexpr EditModeRow kEditModes[] = {
    {EditMode::kResearch, kOldest,
     "--disallowedTools Bash,Edit,MultiEdit,NotebookEdit,Write", kReads},
    {EditMode::kResearch, kWithModes,
     "--permission-mode default "
     "--disallowedTools Bash,Edit,MultiEdit,NotebookEdit,Write",
     kReads},
    {EditMode::kResearch, kWithoutMultiEdit,
     "--permission-mode default --disallowedTools "
     "Bash,CronCreate,Edit,EnterWorktree,NotebookEdit,Workflow,Write",
     kReads},
    // A sandbox that runs commands without asking would precede the rules.
    {EditMode::kAsk, kWithAskRules,
     "--permission-mode default --settings "
     R"({"permissions":{"ask":["Bash","Edit","MultiEdit","NotebookEdit",)"
     R"("WebFetch","Write"]}})",
     kReads, kHooksAllow},
    {EditMode::kAsk, kWithoutMultiEdit,
     "--permission-mode default --settings "
     R"({"permissions":{"ask":["Bash","Edit","NotebookEdit","Skill",)"
     R"("SlashCommand","WebFetch","Write"]},)"
     R"("sandbox":{"autoAllowBashIfSandboxed":false}})",
     kReads, kHooksAllow},
    {EditMode::kAsk, kWithStrictAskRules,
     "--permission-mode default --settings "
     R"({"permissions":{"ask":["Bash","CronCreate","Edit","EnterWorktree",)"
     R"("ExitWorktree","Monitor","NotebookEdit","Skill","WebFetch",)"
     R"("Workflow","Write","mcp__*"]},)"
     R"("sandbox":{"autoAllowBashIfSandboxed":false}})",
     kReads},
    {EditMode::kAutoEdit, kOldest,
     "--allowedTools Edit,MultiEdit,NotebookEdit,Write", kEdits},
    {EditMode::kAutoEdit, kWithModes, "--permission-mode acceptEdits", kEdits},
    {EditMode::kFullAuto, kOldest,
     "--allowedTools Bash,Edit,MultiEdit,NotebookEdit,Write", kUnsandboxed,
     kNoSandbox},
    {EditMode::kFullAuto, kWithModes,
     "--permission-mode acceptEdits --allowedTools Bash", kUnsandboxed,
     kNoSandbox},
    {EditMode::kDangerous, kOldest, "--dangerously-skip-permissions",
     kEverything},
    {EditMode::kNative, kOldest, "", kEverything},
};

constexpr NativeModeRow kNativeModes[] = {
    {"approval_policy", "default", kReads},
    {"approval_policy", "plan", kReads},
    {"approval_policy", "acceptEdits", kEdits},
    {"approval_policy", "bypassPermissions", kEverything},
};

constexpr LaunchRules kRules = {
    .name = "Claude Code",
    .install = "npm install -g @anthropic-ai/claude-code",
    .oldest = kOldest,
    .flags = {.rows = kFlags, .newest = {2, 1, 325}},
    .edit_modes = kEditModes,
    .native_modes = kNativeModes,
};

constexpr Refusal kRefusals[] = {
    {"sandbox", "set config sandbox.enabled=true"},
    {"profile", "give its settings as config"},
    {"skip_git_check", "it makes no such check; leave it out"},
    {"verbosity", "ask for it in the prompt"},
    {"local_provider", "set ANTHROPIC_BASE_URL in the environment"},
    {"last_message_file", "the answer is the text of the result"},
};

constexpr absl::string_view kPlanTools =
    "TaskCreate,TaskGet,TaskList,TaskUpdate,TodoWrite";

void AddPermissions(const LaunchOptions& options, LaunchBuilder& b) {
  std::vector<absl::string_view> native;
  if (!options.approval_policy.empty()) native.push_back("approval_policy");
  for (const std::string& setting : options.config) {
    const absl::string_view key = ConfigKey(setting);
    if (key == "permissions.defaultMode") native.push_back(key);
  }
  b.Permissions(native);
  b.Flag("approval_policy", "--permission-mode", options.approval_policy);
}

// The CLI uses only the last --settings, so those of the edit mode are merged.
void AddSettings(const std::vector<std::string>& config, LaunchBuilder& b) {
  if (config.empty()) return;
  absl::StatusOr<std::string> settings = SettingsJson(config);
  const std::string of_mode = b.TakeFlag("--settings");
  if (settings.ok() && !of_mode.empty()) {
    settings = MergeSettings(of_mode, *settings);
  }
  if (settings.ok()) {
    b.Flag("config", "--settings", *settings);
  } else {
    b.Fail("config", settings.status().message());
  }
}

void AddTools(const LaunchOptions& options, LaunchBuilder& b) {
  if (options.web_search) {
    b.AddToList(*options.web_search ? "--allowedTools" : "--disallowedTools",
                "WebSearch");
  }
  // The plan tools are available by default.
  if (options.plan_tool == false) {
    b.AddToList("--disallowedTools", kPlanTools);
  }
}

void AddOutputSchema(const LaunchRequest& request, LaunchBuilder& b) {
  if (request.options.output_schema.empty()) return;
  if (request.output_schema_text.empty()) {
    b.Fail("output_schema",
           absl::StrCat(request.options.output_schema, " is empty"));
  }
  b.Flag("output_schema", "--json-schema", request.output_schema_text);
}

Capabilities GetCapabilities(const Cli& cli) {
  const FlagTable& flags = kRules.flags;
  const bool converses = flags.Has(cli, "--input-format");
  const bool asks = flags.Has(cli, "--permission-prompt-tool");
  const Capabilities all = {
      .follow_up = true,
      .resume = flags.Has(cli, "--resume"),
      .fork = flags.Has(cli, "--fork-session"),
      .fork_at_turn = flags.Has(cli, "--resume-session-at"),
      .steer = true,
      .interrupt = true,
      .approvals = asks,
      .questions = asks && flags.Has(cli, "AskUserQuestion"),
      // Images are sent within the conversation.
      .images = converses && flags.Has(cli, "images in its prompts"),
      .models = true,
      .compaction = true,
      .set_model = flags.Has(cli, "set_model"),
      .denial_reason = asks};
  return converses ? all : WithoutConversation(all);
}

absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                   const Cli& cli) {
  const LaunchOptions& o = request.options;
  const Capabilities can = GetCapabilities(cli);
  LaunchBuilder b(kRules, request, cli);
  b.Refuse(kRefusals);
  if (!request.resume_session.empty() && !can.resume) {
    b.FailVersion("resume_session", kGoOnWithSession);
  }
  if (can.fork) b.ForksSession(can.fork_at_turn);
  if (!o.images.empty() && !can.images) b.FailVersion("images", kTakeImages);
  b.Args({"-p", "--output-format", "stream-json", "--verbose"});
  if (can.follow_up) b.Args({"--input-format", "stream-json"});
  // The CLI then asks us instead of refusing by itself.
  if (can.approvals) b.Args({"--permission-prompt-tool", "stdio"});
  AddPermissions(o, b);
  if (b.Has("--model")) {
    b.Flag("model", "--model", o.model);
  } else if (!o.model.empty()) {
    b.Env("ANTHROPIC_MODEL", o.model);
  }
  AddSettings(o.config, b);
  AddTools(o, b);
  AddOutputSchema(request, b);
  for (const std::string& dir : o.extra_dirs) {
    b.Flag("extra_dirs", "--add-dir", dir);
  }
  b.Flag("effort", "--effort", o.effort);
  b.Flag("base_instructions", "--system-prompt-file", o.base_instructions);
  if (o.ephemeral) b.Switch("ephemeral", "--no-session-persistence");
  if (!request.resume_session.empty()) {
    b.Flag("resume_session", "--resume", request.resume_session);
    if (request.fork_session && can.fork) b.Arg("--fork-session");
    if (can.fork_at_turn) {
      b.Flag("fork_point", "--resume-session-at", request.fork_point);
    }
  } else if (b.Has("--session-id")) {
    b.Flag("new_session", "--session-id", request.new_session);
  }
  return std::move(b).Finish(can.follow_up ? Launch::Stdin::kConversation
                                           : Launch::Stdin::kPrompt);
}

}  // namespace
}  // namespace troika::claude

const troika::Backend& troika::ClaudeBackend() {
  using namespace claude;  // NOLINT(google-build-using-namespace)
  static const auto* const kBackend = new Backend{
      .harness = Harness::kClaude,
      .display_name = kRules.name,
      .cli_names = {.program = "claude",
                    .env = {"TROIKA_CLAUDE_BIN"},
                    .install = kRules.install,
                    .help = {"--help"},
                    .newest_known = kRules.flags.newest},
      .edit_modes = kEditModes,
      .native_modes = kNativeModes,
      .inline_images = {Wire::kStreamJson},
      .inline_output_schema = true,
      // False for 1.0.109; the versions between were not tried.
      .resume_keeps_session_from = {2, 0, 0},
      .login_hint =
          "run claude and log in with /login, or set ANTHROPIC_API_KEY",
      .login_variables = LoginVariables(),
      .models = {"opus", "sonnet", "haiku"},
      .wire_capabilities = [](const Cli& cli,
                              Wire) { return GetCapabilities(cli); },
      .capabilities = GetCapabilities,
      .NewProtocol =
          [](const ProtocolOptions& options) -> std::unique_ptr<Protocol> {
        if (options.wire == Wire::kSessionFile) {
          return NewSessionFileProtocol(options);
        }
        return std::make_unique<ClaudeProtocol>(options);
      },
      .BuildLaunch = BuildLaunch,
      .LooksLoggedIn = LooksLoggedIn,
      .sessions = &Sessions(),
  };
  return *kBackend;
}
