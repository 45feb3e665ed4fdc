// Builds the command lines of `gemini -o stream-json`, versions 0.11.3 to 0.61,
// and of `gemini --acp`, from 0.20 on.
//
// On the wire stream_json the prompt is only on stdin, which accepts 2 MiB and
// a leading dash. Images are passed in -p as `@path`: the CLI appends that to
// the prompt from stdin, reads the files and sends them as data. On the wire
// acp they are a part of the prompt, as data, and may be anywhere.
#include "agent/backend.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/acp/parse.h"
#include "agent/gemini/acp_launch.h"
#include "agent/gemini/cli_files.h"
#include "agent/gemini/parse.h"
#include "agent/gemini/session_file.h"
#include "agent/launch/builder.h"
#include "base/status_macros.h"

namespace troika::gemini {
namespace {

constexpr FlagRow kFlags[] = {
    {"--approval-mode"},
    {"--allowed-tools"},
    {"--include-directories"},
    {"-m"},
    {"-p"},
    {"--resume", {0, 15, 4}},
    {"--session-id", {0, 41, 2}},
    {"--experimental-acp"},
    {"--acp", {0, 33, 2}},
    {"--policy", {0, 35, 0}},
    // A method of the wire acp. Versions that have it have modes, too.
    {"session/load", {0, 35, 0}, kUnknownVersion, FlagRow::Help::kUnlisted},
};

constexpr Version kOldest = {0, 11, 3};
// The oldest version that was tried on the wire acp.
constexpr Version kOldestAcp = {0, 20, 0};

// Up to this version, the launcher restarts the CLI whenever it exits with 42,
// which it also does for an unknown session or an invalid prompt: forever.
constexpr Version kLauncherEnds = {0, 23, 0};

// From the first version up to the second, the CLI accepts
// --include-directories but ignores it without a terminal.
constexpr Version kIgnoresDirs = {0, 17, 0};
constexpr Version kTakesDirs = {0, 27, 0};

// Gemini's tools stay within the task's folder, but can fetch any page.
constexpr Abilities kEdits = {Ability::kEdit, Ability::kNetwork};

// The wire stream_json can't ask, so tools that need an approval are not
// offered there; on the wire acp they are, and the CLI asks.
constexpr EditModeRow kEditModes[] = {
    // A list on the command line replaces the list in the settings, which could
    // allow commands.
    {EditMode::kResearch, kOldest,
     "--approval-mode default --allowed-tools read_file", Abilities(),
     "research: what the policies in Gemini CLI's own folder allow can write"},
    {EditMode::kAutoEdit, kOldest, "--approval-mode auto_edit", kEdits},
    {EditMode::kFullAuto, kOldest,
     "--approval-mode auto_edit --allowed-tools run_shell_command",
     kUnsandboxed,
     "full_auto: Gemini CLI runs commands without a sandbox, and they can "
     "reach "
     "all that its user can; the option sandbox gives it one"},
    {EditMode::kDangerous, kOldest, "--approval-mode yolo", kEverything},
    // A policy on the command line replaces those in the CLI's own folder.
    {EditMode::kAsk, kOldestAcp,
     "--approval-mode default --allowed-tools read_file", Abilities(),
     "ask: what the policies in Gemini CLI's own folder allow runs without an "
     "approval; from 0.35.0 on they are left out"},
    {EditMode::kAsk,
     {0, 35, 0},
     "--approval-mode default --allowed-tools read_file --policy /dev/null",
     Abilities()},
    {EditMode::kNative, kOldest, "", kEverything},
};

constexpr NativeModeRow kNativeModes[] = {
    {"approval_policy", "default", Abilities()},
    {"approval_policy", "plan", Abilities()},
    {"approval_policy", "auto_edit", kEdits},
    {"approval_policy", "yolo", kEverything},
};

constexpr LaunchRules kRules = {
    .name = "Gemini CLI",
    .install = "npm install -g @google/gemini-cli",
    .oldest = kOldest,
    .flags = {.rows = kFlags, .newest = {0, 61, 0}},
    .edit_modes = kEditModes,
    .native_modes = kNativeModes,
};

constexpr Refusal kRefusals[] = {
    {"config", "put it into its settings.json"},
    {"profile", "put its settings into settings.json"},
    {"output_schema", "ask for the form of the answer in the prompt"},
    {"skip_git_check", "it makes no such check; leave it out"},
    {"effort", "choose another model"},
    {"verbosity", "ask for it in the prompt"},
    {"ephemeral", "leave it out, and delete the session with --delete-session"},
    {"plan_tool", "it depends on the edit mode; leave it out"},
    {"local_provider", "use a harness that can, such as codex"},
    {"last_message_file", "the answer is the text of the result"},
};

// Characters that end a path in a prompt unless a backslash precedes them.
constexpr absl::string_view kSpecial = " ()[]{};|*?$`'#&<>!~,";
// With these, the CLI silently drops the image in any case (0.20, 0.61).
constexpr absl::string_view kImpossible = "\t\n\r\"\\";

std::filesystem::path Normal(const std::filesystem::path& base,
                             absl::string_view path) {
  return (base / std::string(path)).lexically_normal();
}

bool IsWithin(const std::filesystem::path& path,
              const std::filesystem::path& folder) {
  const std::filesystem::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

void AddDirs(const LaunchRequest& request, LaunchBuilder& b) {
  const std::vector<std::string>& dirs = request.options.extra_dirs;
  if (!dirs.empty() && b.version() >= kIgnoresDirs &&
      b.version() < kTakesDirs) {
    b.Fail("extra_dirs",
           absl::StrCat(kRules.name, " ", VersionText(b.version()),
                        " ignores --include-directories; leave it out, or "
                        "update with ",
                        kRules.install));
  }
  for (const std::string& dir : dirs) {
    b.Flag("extra_dirs", "--include-directories", dir);
  }
}

void AddImages(const LaunchRequest& request, LaunchBuilder& b) {
  std::vector<std::filesystem::path> folders = {Normal(request.cwd, "")};
  for (const std::string& dir : request.options.extra_dirs) {
    folders.push_back(Normal(request.cwd, dir));
  }
  std::vector<std::string> references;
  for (const std::string& image : request.options.images) {
    const std::filesystem::path path = Normal(request.cwd, image);
    bool within = false;
    for (const auto& folder : folders) within |= IsWithin(path, folder);
    // The CLI would silently omit the image from the prompt.
    if (!within) {
      b.Fail("images", absl::StrCat("Gemini CLI reads none from outside its "
                                    "folders; add the folder of ",
                                    image, " to extra_dirs"));
    }
    if (image.find_first_of(std::string(kImpossible)) != std::string::npos) {
      b.Fail("images",
             absl::StrCat("Gemini CLI can't read one with a quote, backslash, "
                          "tab or line end in its name; rename ",
                          image));
    }
    std::string& reference = references.emplace_back("@");
    for (const char c : image) {
      if (absl::StrContains(kSpecial, c)) reference += '\\';
      reference += c;
    }
  }
  b.Flag("images", "-p", absl::StrJoin(references, " "));
}

bool HasAcp(const Cli& cli) { return ParseVersion(cli.version) >= kOldestAcp; }

Capabilities WireCapabilities(const Cli& cli, Wire wire) {
  if (wire == Wire::kAcp && HasAcp(cli)) {
    return {.follow_up = true,
            .resume = kRules.flags.Has(cli, "session/load"),
            .interrupt = true,
            .approvals = true,
            .images = true,
            .models = true};
  }
  // A process takes one prompt, asks nothing and reads no answers.
  return {.resume = kRules.flags.Has(cli, "--resume"),
          .images = kRules.flags.Has(cli, "-p"),
          .models = true};
}

Capabilities GetCapabilities(const Cli& cli) {
  Capabilities all = WireCapabilities(cli, Wire::kStreamJson);
  const Capabilities acp = WireCapabilities(cli, Wire::kAcp);
  all.follow_up = acp.follow_up;
  all.interrupt = acp.interrupt;
  all.approvals = acp.approvals;
  return all;
}

// Adds what both wires have.
void AddCommon(const LaunchRequest& request, LaunchBuilder& b) {
  const LaunchOptions& o = request.options;
  // No version can, up to the newest that we know.
  if (request.fork_session) {
    b.Fail("fork_session",
           "Gemini CLI can't fork a session; go on with the session itself "
           "(troika resume), or start a new task and say in its prompt what it "
           "needs to know");
  }
  if (o.approval_policy.empty()) {
    b.Permissions({});
  } else {
    b.Permissions({"approval_policy"});
    b.Flag("approval_policy", "--approval-mode", o.approval_policy);
  }
  if (b.version() < kLauncherEnds) b.Env("GEMINI_CLI_NO_RELAUNCH", "true");
  if (!o.sandbox.empty()) b.Env("GEMINI_SANDBOX", o.sandbox);
  b.Flag("model", "-m", o.model);
  AddDirs(request, b);
  if (!o.base_instructions.empty()) {
    b.Env("GEMINI_SYSTEM_MD", o.base_instructions);
  }
  // Searching is on in all edit modes, and no flag disables a tool.
  if (o.web_search == false) {
    b.Fail("web_search",
           "Gemini CLI can't turn it off by a flag; exclude google_web_search "
           "in its settings.json");
  }
}

absl::StatusOr<Launch> BuildAcpLaunch(const LaunchRequest& request,
                                      const Cli& cli) {
  LaunchBuilder b(kRules, request, cli);
  b.Refuse(kRefusals);
  if (!HasAcp(cli)) b.FailVersion("wire acp", "talk over the wire acp");
  const bool loads = b.Has("session/load");
  if (!request.resume_session.empty() && !loads) {
    b.FailVersion("resume_session", kGoOnWithSession);
  }
  b.Arg(b.Has("--acp") ? "--acp" : "--experimental-acp");
  AddCommon(request, b);
  ASSIGN_OR_RETURN(
      Launch launch,
      std::move(b).Finish(Launch::Stdin::kConversation, Wire::kAcp));
  launch.setup_json = AcpSetupJson(
      request, launch, loads ? AcpSessions::kLoadable : AcpSessions::kOnlyNew);
  // The file of a session is named after the minute in which it began. Loading
  // the session in that minute overwrites its history (0.61).
  launch.resume_in_later_minute = !request.resume_session.empty();
  return launch;
}

absl::StatusOr<Launch> BuildStreamLaunch(const LaunchRequest& request,
                                         const Cli& cli) {
  LaunchBuilder b(kRules, request, cli);
  b.Refuse(kRefusals);
  if (request.options.edit_mode == EditMode::kAsk) {
    b.Fail("wire stream_json",
           "edit_mode ask needs the wire acp; leave the wire out");
  }
  if (!request.resume_session.empty() &&
      !WireCapabilities(cli, Wire::kStreamJson).resume) {
    b.FailVersion("resume_session", kGoOnWithSession);
  }
  b.Args({"-o", "stream-json"});
  AddCommon(request, b);
  AddImages(request, b);
  if (!request.resume_session.empty()) {
    b.Flag("resume_session", "--resume", request.resume_session);
  } else if (b.Has("--session-id")) {
    b.Flag("new_session", "--session-id", request.new_session);
  }
  return std::move(b).Finish(Launch::Stdin::kPrompt);
}

// Whether the user's own settings decide if the agent asks, or the user's rules
// are about what it would ask for, and this version can ask with these options
// on the wire acp.
bool ShouldAsk(const LaunchRequest& request, const Cli& cli) {
  const LaunchOptions& o = request.options;
  const bool by_settings = o.edit_mode == EditMode::kNative &&
                           !o.dangerously_bypass && o.approval_policy != "yolo";
  // On the other wire it could run no commands at all.
  const bool by_rules = request.guarded && o.edit_mode == EditMode::kAutoEdit;
  const bool may_ask = by_settings || by_rules;
  return may_ask && !o.wire && o.images.empty() && HasAcp(cli) &&
         (request.resume_session.empty() ||
          kRules.flags.Has(cli, "session/load"));
}

absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                   const Cli& cli) {
  switch (ShouldAsk(request, cli) ? Wire::kAcp : ChooseWire(request.options)) {
    case Wire::kAcp:
      return BuildAcpLaunch(request, cli);
    case Wire::kStreamJson:
      return BuildStreamLaunch(request, cli);
    case Wire::kExec:
    case Wire::kAppServer:
    case Wire::kSessionFile:
      break;
  }
  return absl::InvalidArgumentError(
      "wire: Gemini CLI has the wires stream_json and acp; choose one of them, "
      "or leave it out");
}

}  // namespace
}  // namespace troika::gemini

const troika::Backend& troika::GeminiBackend() {
  using namespace gemini;  // NOLINT(google-build-using-namespace)
  static const auto* const kBackend = new Backend{
      .harness = Harness::kGemini,
      .display_name = kRules.name,
      .cli_names = {.program = "gemini",
                    .env = {"TROIKA_GEMINI_BIN"},
                    .install = kRules.install,
                    .help = {"--help"},
                    .newest_known = kRules.flags.newest},
      .edit_modes = kEditModes,
      .native_modes = kNativeModes,
      .inline_images = {Wire::kAcp},
      .login_hint = "run gemini and log in, or set GEMINI_API_KEY",
      .login_variables = LoginVariables(),
      .models = {"gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"},
      .wire_capabilities = WireCapabilities,
      .capabilities = GetCapabilities,
      .NewProtocol =
          [](const ProtocolOptions& options) -> std::unique_ptr<Protocol> {
        if (options.wire == Wire::kSessionFile) {
          return NewSessionFileProtocol(options);
        }
        if (options.wire == Wire::kAcp) {
          return std::make_unique<acp::AcpProtocol>(options, Harness::kGemini);
        }
        return std::make_unique<GeminiProtocol>(options);
      },
      .BuildLaunch = BuildLaunch,
      .LooksLoggedIn = LooksLoggedIn,
      .McpServers = McpServers,
      .sessions = &Sessions(),
  };
  return *kBackend;
}
