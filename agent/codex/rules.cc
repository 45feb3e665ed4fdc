#include "agent/codex/rules.h"

#include <optional>

namespace troika::codex {
namespace {

constexpr auto kUnlisted = FlagRow::Help::kUnlisted;

constexpr FlagRow kFlags[] = {
    {"-s"},
    {"--model"},
    {"--profile"},
    {"--skip-git-repo-check"},
    {"--output-last-message"},
    {"--oss"},
    {"--dangerously-bypass-approvals-and-sandbox"},
    // Earlier versions (0.34, 0.42) give images a separate turn and then hang.
    {"--image", {0, 63, 0}},
    {"--output-schema", {0, 42, 0}},
    {"resume", {0, 42, 0}},
    {"--add-dir", {0, 63, 0}},
    {"--local-provider", {0, 63, 0}},
    {"--ephemeral", {0, 100, 0}},
    {"--ignore-rules", {0, 124, 0}},
    // The conversation with threads and turns; exec's help does not list it.
    {.flag = "app-server", .first = {0, 124, 0}, .help = kUnlisted},
    // A parameter of thread/fork.
    {.flag = "lastTurnId", .first = {0, 166, 0}, .help = kUnlisted},
    // An approval policy.
    {.flag = "on-failure", .last = {0, 165, 0}, .help = kUnlisted},
    // Configuration keys. Codex silently ignores unknown ones.
    {.flag = "web_search", .first = {0, 90, 0}, .help = kUnlisted},
    {.flag = "model_instructions_file", .first = {0, 90, 0}, .help = kUnlisted},
    {.flag = "tools.update_plan.enabled",
     .first = {0, 150, 0},
     .help = kUnlisted},
    // The tool itself: off in 0.34, always on in 0.63.
    {.flag = "update_plan", .first = {0, 63, 0}, .help = kUnlisted},
};

constexpr Version kOldest = {0, 34, 0};
constexpr absl::string_view kCantAsk =
    "auto_edit: codex exec can't ask before it runs a command; commands run in "
    "its workspace-write sandbox";

// Codex's sandboxes let commands read everything and have no network, so a
// command in the read-only one can only read.
constexpr Abilities kReads = {Ability::kReadOutside};
constexpr Abilities kWrites = {Ability::kReadOutside, Ability::kEdit,
                               Ability::kRunSandboxed};

// exec never asks: its approval policy is always "never".
constexpr EditModeRow kEditModes[] = {
    {EditMode::kResearch, kOldest, "-s read-only", kReads},
    // Execution rules came after 0.63. They let commands leave the sandbox.
    {EditMode::kResearch,
     {0, 63, 1},
     "-s read-only",
     kReads,
     "research: what the rules in Codex's own folder allow can write; from "
     "0.124.0 on they are left out"},
    {EditMode::kResearch, {0, 124, 0}, "-s read-only --ignore-rules", kReads},
    {EditMode::kAutoEdit, kOldest, "-s workspace-write", kWrites, kCantAsk},
    {EditMode::kFullAuto, kOldest, "-s workspace-write", kWrites},
    {EditMode::kDangerous, kOldest,
     "--dangerously-bypass-approvals-and-sandbox", kEverything},
    // On app-server. Nothing but reading happens without an answer.
    {EditMode::kAsk,
     {0, 124, 0},
     "approvalPolicy=untrusted sandboxPolicy=workspaceWrite",
     kReads,
     "ask: Codex runs commands that it knows to only read, and what the rules "
     "in its own folder allow, without asking"},
    {EditMode::kNative, kOldest, "", kEverything},
};

constexpr NativeModeRow kNativeModes[] = {
    {"approval_policy", "never", std::nullopt},
    {"sandbox", "read-only", kReads},
    {"sandbox", "workspace-write", kWrites},
    {"sandbox", "danger-full-access", kEverything},
};

constexpr LaunchRules kRules = {
    .name = "Codex CLI",
    .install = "npm install -g @openai/codex",
    .oldest = kOldest,
    .flags = {.rows = kFlags, .newest = {0, 166, 0}},
    .edit_modes = kEditModes,
    .native_modes = kNativeModes,
};

}  // namespace

const LaunchRules& Rules() { return kRules; }

absl::string_view RulesNotice() {
  return "research: what the rules in Codex's own folder allow can write on "
         "the "
         "wire app_server; on exec they are left out";
}

bool MayAsk(const LaunchOptions& options) {
  return options.edit_mode == EditMode::kAsk ||
         (!options.approval_policy.empty() &&
          options.approval_policy != "never");
}

bool AsksByItsSettings(const LaunchOptions& options) {
  return options.edit_mode == EditMode::kNative &&
         options.approval_policy.empty() && !options.dangerously_bypass;
}

Capabilities WireCapabilities(const Cli& cli, Wire wire) {
  // A process of exec takes one prompt, asks nothing and reads no answers.
  Capabilities can = {.resume = kRules.flags.Has(cli, "resume"),
                      .images = kRules.flags.Has(cli, "--image"),
                      .models = true};
  if (wire != Wire::kAppServer) return can;
  can.follow_up = true;
  can.fork = true;
  can.fork_at_turn = kRules.flags.Has(cli, "lastTurnId");
  can.steer = true;
  can.interrupt = true;
  can.approvals = true;
  can.questions = true;
  can.denial_reason = true;  // The protocol steers with it.
  return can;
}

Capabilities AllCapabilities(const Cli& cli) {
  return WireCapabilities(cli, kRules.flags.Has(cli, "app-server")
                                   ? Wire::kAppServer
                                   : Wire::kExec);
}

}  // namespace troika::codex
