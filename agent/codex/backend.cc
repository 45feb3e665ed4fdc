// Builds the command line of `codex exec`, versions 0.34 to 0.166.
//
// Flags of exec precede `resume`, which has fewer and newer flags of its own;
// they apply to it nevertheless (tried from 0.63 to 0.166). Each image has its
// own --image, and another flag must follow, because --image takes all
// arguments up to the next flag. The prompt is on stdin, as the final `-` says.
#include "agent/backend.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/codex/parse.h"
#include "agent/discovery/cli_files.h"
#include "agent/launch/builder.h"
#include "agent/sandbox_error.h"
#include "base/json.h"

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
    // Configuration keys. Codex silently ignores unknown ones.
    {.flag = "web_search", .first = {0, 90, 0}, .help = kUnlisted},
    {.flag = "model_instructions_file", .first = {0, 90, 0}, .help = kUnlisted},
    {.flag = "tools.update_plan.enabled",
     .first = {0, 150, 0},
     .help = kUnlisted},
    // The tool itself: off in 0.34, always on in 0.63.
    {.flag = "update_plan", .first = {0, 63, 0}, .help = kUnlisted},
};

constexpr absl::string_view kNoSandbox = "danger-full-access";
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

// Adds a setting whose value is a TOML string, which is written like JSON's.
void AddSetting(absl::string_view key, absl::string_view value,
                LaunchBuilder& b) {
  if (value.empty()) return;
  std::string setting = absl::StrCat(key, "=");
  json::AppendQuoted(value, &setting);
  b.Args({"-c", setting});
}

void AddImages(const std::vector<std::string>& images, LaunchBuilder& b) {
  for (const std::string& image : images) b.Flag("images", "--image", image);
}

void AddWebSearch(bool on, LaunchBuilder& b) {
  if (b.Has("web_search")) {
    AddSetting("web_search", on ? "live" : "disabled", b);
  } else {
    b.Args({"-c", on ? "tools.web_search=true" : "tools.web_search=false"});
  }
}

void AddPlanTool(bool on, LaunchBuilder& b) {
  if (b.Has("tools.update_plan.enabled")) {
    b.Args({"-c", on ? "tools.update_plan.enabled=true"
                     : "tools.update_plan.enabled=false"});
  } else if (on) {
    b.Require("plan_tool", "update_plan");
  } else {
    b.Require("plan_tool", "tools.update_plan.enabled");
  }
}

// Older versions use another name for the same key.
void AddBaseInstructions(absl::string_view path, LaunchBuilder& b) {
  AddSetting(b.Has("model_instructions_file")
                 ? "model_instructions_file"
                 : "experimental_instructions_file",
             path, b);
}

void AddPermissions(const LaunchOptions& options, LaunchBuilder& b) {
  std::vector<absl::string_view> native;
  if (!options.sandbox.empty()) native.push_back("sandbox");
  for (const std::string& setting : options.config) {
    const absl::string_view key = ConfigKey(setting);
    if (key == "sandbox_mode" || key == "default_permissions") {
      native.push_back(key);
    }
  }
  b.Permissions(native);
  b.Flag("sandbox", "-s", options.sandbox);
  if (options.approval_policy.empty()) return;
  if (options.approval_policy != "never") {
    b.Fail("approval_policy",
           "codex exec asks nothing and always runs with \"never\"; leave it "
           "out, and use sandbox to restrict the agent");
  }
}

// Whether the permissions of `options` keep Codex's sandbox.
bool UsesSandbox(const LaunchOptions& options) {
  if (options.dangerously_bypass || options.edit_mode == EditMode::kDangerous ||
      options.sandbox == kNoSandbox) {
    return false;
  }
  for (const std::string& setting : options.config) {
    if (ConfigKey(setting) == "sandbox_mode" &&
        absl::StrContains(setting, kNoSandbox)) {
      return false;
    }
  }
  return true;
}

void AddLocalProvider(absl::string_view provider, LaunchBuilder& b) {
  if (provider.empty()) return;
  b.Switch("local_provider", "--oss");
  if (provider != "default") {
    b.Flag("local_provider", "--local-provider", provider);
  }
}

Capabilities GetCapabilities(const Cli& cli) {
  // A process takes one prompt, asks nothing and reads no answers.
  return {.resume = kRules.flags.Has(cli, "resume"),
          .images = kRules.flags.Has(cli, "--image"),
          .models = true};
}

absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                   const Cli& cli) {
  const LaunchOptions& o = request.options;
  const Capabilities can = GetCapabilities(cli);
  LaunchBuilder b(kRules, request, cli);
  if (!request.resume_session.empty() && !can.resume) {
    b.FailVersion("resume_session", kGoOnWithSession);
  }
  if (!o.images.empty() && !can.images) b.FailVersion("images", kTakeImages);
  b.Arg("exec");
  AddImages(o.images, b);
  b.Args({"--json", "--color", "never"});
  AddPermissions(o, b);
  if (!cli.sandbox_error.empty() && UsesSandbox(o)) {
    b.Notice(SandboxTrouble(kRules.name, cli.sandbox_error));
  }
  b.Flag("model", "--model", o.model);
  b.Flag("profile", "--profile", o.profile);
  b.Flag("output_schema", "--output-schema", o.output_schema);
  b.Flag("last_message_file", "--output-last-message", o.last_message_file);
  for (const std::string& dir : o.extra_dirs) {
    b.Flag("extra_dirs", "--add-dir", dir);
  }
  if (o.skip_git_check) b.Switch("skip_git_check", "--skip-git-repo-check");
  if (o.ephemeral) b.Switch("ephemeral", "--ephemeral");
  AddLocalProvider(o.local_provider, b);
  AddSetting("model_reasoning_effort", o.effort, b);
  AddSetting("model_verbosity", o.verbosity, b);
  AddBaseInstructions(o.base_instructions, b);
  if (o.web_search) AddWebSearch(*o.web_search, b);
  if (o.plan_tool) AddPlanTool(*o.plan_tool, b);
  // These come last because the last value of a key counts.
  for (const std::string& setting : o.config) b.Args({"-c", setting});
  b.Flag("resume_session", "resume", request.resume_session);
  b.Arg("-");
  return std::move(b).Finish(Launch::Stdin::kPrompt, Wire::kExec);
}

// The following functions read Codex's files in $CODEX_HOME or ~/.codex: its
// login, and its sessions, which are rollout files sorted by date.

// The first line contains 22 KB of instructions.
constexpr int64_t kHeadBytes = 1 << 20;
// If a turn is shorter than this, we see its start, which names the folder.
constexpr int64_t kTailBytes = 1 << 20;

struct Meta {
  std::string id;
  std::string cwd;
};

// Returns empty fields if the file is not a session or is a subagent's.
Meta ReadMeta(const SessionFile& file) {
  Meta meta;
  VisitLines(ReadHead(file.path, kHeadBytes), Direction::kForward,
             [&](json::Value line) {
               const json::Value payload = line.Get("payload");
               if (line.Get("type").StringOr("") == "session_meta" &&
                   !payload.Get("parent_thread_id").IsString() &&
                   !payload.Get("source").Get("subagent").exists()) {
                 meta = {.id = std::string(payload.Get("id").StringOr("")),
                         .cwd = std::string(payload.Get("cwd").StringOr(""))};
               }
               return false;
             });
  return meta;
}

std::string LastTurnCwd(const SessionFile& file) {
  std::string cwd;
  VisitLines(ReadTail(file.path, kTailBytes), Direction::kBackward,
             [&](json::Value line) {
               if (line.Get("type").StringOr("") != "turn_context") return true;
               cwd = std::string(line.Get("payload").Get("cwd").StringOr(""));
               return false;
             });
  return cwd;
}

std::optional<bool> LooksLoggedIn(const Environment& env) {
  static constexpr absl::string_view kVariables[] = {"CODEX_API_KEY",
                                                     "OPENAI_API_KEY"};
  if (AnySet(env, kVariables)) return true;
  const std::filesystem::path folder = FolderOf(env, "CODEX_HOME", ".codex");
  if (IsFile(folder / "auth.json")) return true;
  // Another provider needs no such login, and we must not open a keyring.
  const std::filesystem::path config = folder / "config.toml";
  if (FileContains(config, "model_provider") ||
      FileContains(config, "cli_auth_credentials_store")) {
    return std::nullopt;
  }
  return false;
}

// Skips the sessions of subagents. A session belongs to the folder of its last
// turn.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env) {
  const std::filesystem::path root =
      FolderOf(env, "CODEX_HOME", ".codex") / "sessions";
  constexpr int kYearMonthDay = 3;
  const auto files =
      NewestFiles(root, kYearMonthDay, [](const std::filesystem::path& path) {
        return path.extension() == ".jsonl" &&
               absl::StartsWith(path.filename().native(), "rollout-");
      });
  for (const SessionFile& file : files) {
    const Meta meta = ReadMeta(file);
    if (meta.id.empty()) continue;
    const std::string last = LastTurnCwd(file);
    if (SameFolder(last.empty() ? meta.cwd : last, cwd)) return meta.id;
  }
  return NoSession("Codex CLI", cwd, root);
}

}  // namespace
}  // namespace troika::codex

const troika::Backend& troika::CodexBackend() {
  using namespace codex;  // NOLINT(google-build-using-namespace)
  static const auto* const kBackend = new Backend{
      .harness = Harness::kCodex,
      .display_name = kRules.name,
      .cli_names =
          {.program = "codex",
           .env = {"TROIKA_CODEX_BIN", "CODEX_CLI_PATH"},
           .install = kRules.install,
           .help = {"exec", "--help"},
           .newest_known = kRules.flags.newest,
           // The probes don't depend on sandbox_mode in the user's settings.
           .sandbox_probes =
               {
                   {{0, 34, 0}, {"debug", "landlock", "--", "true"}},
                   {{0, 63, 0}, {"sandbox", "linux", "--", "true"}},
                   {{0, 166, 0}, {"sandbox", "--", "true"}},
               }},
      .edit_modes = kEditModes,
      .native_modes = kNativeModes,
      .login_hint = "run codex login, or set CODEX_API_KEY",
      .models = {"gpt-5.6", "gpt-5.5"},
      .first_wire = Wire::kExec,
      .wire_capabilities = [](const Cli& cli,
                              Wire) { return GetCapabilities(cli); },
      .capabilities = GetCapabilities,
      .NewProtocol = NewExecProtocol,
      .BuildLaunch = BuildLaunch,
      .LooksLoggedIn = LooksLoggedIn,
      .LatestSession = LatestSession,
  };
  return *kBackend;
}
