// Builds the command line of `gemini -o stream-json`, versions 0.11.3 to 0.61.
//
// The prompt is only on stdin, which accepts 2 MiB and a leading dash. Images
// are passed in -p as `@path`: the CLI appends that to the prompt from stdin,
// reads the files and sends them as data.
#include "agent/backend.h"

#include <sha2.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/discovery/cli_files.h"
#include "agent/gemini/parse.h"
#include "agent/launch/builder.h"

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
};

constexpr Version kOldest = {0, 11, 3};

// Up to this version, the launcher restarts the CLI whenever it exits with 42,
// which it also does for an unknown session or an invalid prompt: forever.
constexpr Version kLauncherEnds = {0, 23, 0};

// From the first version up to the second, the CLI accepts
// --include-directories but ignores it without a terminal.
constexpr Version kIgnoresDirs = {0, 17, 0};
constexpr Version kTakesDirs = {0, 27, 0};

// Gemini's tools stay within the task's folder, but can fetch any page.
constexpr Abilities kEdits = {Ability::kEdit, Ability::kNetwork};

// This wire can't ask, so tools that need an approval are not offered.
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

Capabilities GetCapabilities(const Cli& cli) {
  // In this mode a process takes one prompt, asks nothing and reads no answers.
  return {.resume = kRules.flags.Has(cli, "--resume"),
          .images = kRules.flags.Has(cli, "-p"),
          .models = true};
}

absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                   const Cli& cli) {
  const LaunchOptions& o = request.options;
  LaunchBuilder b(kRules, request, cli);
  b.Refuse(kRefusals);
  if (!request.resume_session.empty() && !GetCapabilities(cli).resume) {
    b.FailVersion("resume_session", kGoOnWithSession);
  }
  b.Args({"-o", "stream-json"});
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
  AddImages(request, b);
  if (!request.resume_session.empty()) {
    b.Flag("resume_session", "--resume", request.resume_session);
  } else if (b.Has("--session-id")) {
    b.Flag("new_session", "--session-id", request.new_session);
  }
  return std::move(b).Finish(Launch::Stdin::kPrompt);
}

// The following functions read Gemini CLI's files in .gemini under
// $GEMINI_CLI_HOME or $HOME: its login, and its sessions in tmp. Each working
// folder has a folder there, whose .project_root contains the working folder's
// path; before 0.35, its name is the SHA-256 of that path instead.

constexpr int64_t kMaxPathBytes = 4096;

// Returns the session's id; empty if it is a subagent's or not a session.
std::string SessionId(const SessionFile& file) {
  // A .jsonl file has the id in its first line; a .json file is one object.
  const std::string text =
      ReadHead(file.path, static_cast<int64_t>(json::kMaxBytes));
  const bool lines = file.path.extension() == ".jsonl";
  json::Parser parser;
  const absl::StatusOr<json::Value> session = parser.Parse(
      lines ? absl::string_view(text).substr(0, text.find('\n')) : text);
  if (!session.ok()) return "";
  const absl::string_view kind = session->Get("kind").StringOr("main");
  if (kind != "main") return "";
  return std::string(session->Get("sessionId").StringOr(""));
}

std::string Sha256Hex(absl::string_view bytes) {
  char hex[SHA256_DIGEST_STRING_LENGTH];
  return SHA256Data(reinterpret_cast<const uint8_t*>(bytes.data()),
                    bytes.size(), hex);
}

// Finds out which folders under tmp belong to `cwd`.
class ProjectFolders {
 public:
  explicit ProjectFolders(absl::string_view cwd)
      : cwd_(cwd), written_hash_(Sha256Hex(cwd)) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(cwd_, error);
    real_hash_ = Sha256Hex(real.native());
  }

  bool Contains(const std::filesystem::path& folder) {
    const auto [it, is_new] = known_.try_emplace(folder.native(), false);
    if (is_new) it->second = Matches(folder);
    return it->second;
  }

 private:
  bool Matches(const std::filesystem::path& folder) const {
    const std::string name = folder.filename().native();
    if (name == written_hash_ || name == real_hash_) return true;
    const std::string root = ReadHead(folder / ".project_root", kMaxPathBytes);
    return SameFolder(absl::StripAsciiWhitespace(root), cwd_);
  }

  std::string cwd_;
  std::string written_hash_;
  std::string real_hash_;
  std::map<std::string, bool> known_;
};

std::optional<bool> LooksLoggedIn(const Environment& env) {
  static constexpr absl::string_view kVariables[] = {
      "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_GCA",
      "GOOGLE_GENAI_USE_VERTEXAI"};
  if (AnySet(env, kVariables)) return true;
  const std::filesystem::path folder =
      FolderOf(env, "GEMINI_CLI_HOME", "") / ".gemini";
  if (IsFile(folder / "oauth_creds.json")) return true;
  // The CLI reads variables from .env, and its settings may name other logins.
  if (IsFile(folder / ".env") ||
      FileContains(folder / "settings.json", "\"selectedType\"")) {
    return std::nullopt;
  }
  return false;
}

// Skips the sessions of subagents.
absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env) {
  const std::filesystem::path root =
      FolderOf(env, "GEMINI_CLI_HOME", "") / ".gemini" / "tmp";
  ProjectFolders folders(cwd);
  constexpr int kProjectAndChats = 2;
  const auto files = NewestFiles(
      root, kProjectAndChats, [&](const std::filesystem::path& path) {
        const std::filesystem::path chats = path.parent_path();
        return absl::StartsWith(path.filename().native(), "session-") &&
               chats.filename() == "chats" &&
               folders.Contains(chats.parent_path());
      });
  for (const SessionFile& file : files) {
    std::string id = SessionId(file);
    if (!id.empty()) return id;
  }
  return NoSession("Gemini CLI", cwd, root);
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
      .login_hint = "run gemini and log in, or set GEMINI_API_KEY",
      .models = {"gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"},
      .wire_capabilities = [](const Cli& cli,
                              Wire) { return GetCapabilities(cli); },
      .capabilities = GetCapabilities,
      .NewProtocol =
          [](const ProtocolOptions& options) -> std::unique_ptr<Protocol> {
        return std::make_unique<GeminiProtocol>(options);
      },
      .BuildLaunch = BuildLaunch,
      .LooksLoggedIn = LooksLoggedIn,
      .LatestSession = LatestSession,
  };
  return *kBackend;
}
