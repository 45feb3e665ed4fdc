#include "agent/claude/home.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "agent/discovery/cli_files.h"

namespace troika::claude {
namespace {

constexpr int64_t kHeadBytes = 1 << 20;
constexpr size_t kMaxName = 200;

bool IsProjectFolder(absl::string_view name, absl::string_view project) {
  if (project.size() <= kMaxName) return name == project;
  return name.size() > kMaxName && name[kMaxName] == '-' &&
         absl::StartsWith(name, project.substr(0, kMaxName));
}

// Whether this is a session of `cwd`, and not of another folder with the same
// project name or of a subagent.
bool IsSessionOf(const SessionFile& file, absl::string_view cwd) {
  // A first prompt with images may exceed the part that is read here.
  bool matches = file.size > kHeadBytes;
  VisitLines(ReadHead(file.path, kHeadBytes), Direction::kForward,
             [&](json::Value line) {
               const json::Value folder = line.Get("cwd");
               if (!folder.IsString()) return true;
               matches = !line.Get("isSidechain").BoolOr(false) &&
                         SameFolder(folder.StringOr(""), cwd);
               return false;
             });
  return matches;
}

}  // namespace

std::string ProjectFolder(absl::string_view cwd) {
  std::string name;
  for (const char c : cwd) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // A continuation byte.
    name += absl::ascii_isalnum(byte) ? c : '-';
    if (byte >= 0xF0) name += '-';  // JavaScript uses two code units for it.
  }
  return name;
}

std::optional<bool> LooksLoggedIn(const Environment& env) {
  static constexpr absl::string_view kVariables[] = {
      "ANTHROPIC_API_KEY",       "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_VERTEX"};
  if (AnySet(env, kVariables)) return true;
  const std::filesystem::path folder =
      FolderOf(env, "CLAUDE_CONFIG_DIR", ".claude");
  if (IsFile(folder / ".credentials.json")) return true;
  // The user's helper program may or may not have a key.
  if (FileContains(folder / "settings.json", "\"apiKeyHelper\"")) {
    return std::nullopt;
  }
  // The CLI's configuration is in HOME unless CLAUDE_CONFIG_DIR is set.
  const std::filesystem::path config =
      FolderOf(env, "CLAUDE_CONFIG_DIR", "") / ".claude.json";
  return FileContains(config, "\"oauthAccount\"") ||
         FileContains(config, "\"primaryApiKey\"");
}

absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env) {
  const std::filesystem::path root =
      FolderOf(env, "CLAUDE_CONFIG_DIR", ".claude") / "projects";
  std::error_code error;
  const std::filesystem::path real =
      std::filesystem::weakly_canonical(std::string(cwd), error);
  const std::string written_name = ProjectFolder(cwd);
  const std::string real_name = ProjectFolder(real.native());
  const auto is_session = [&](const std::filesystem::path& path) {
    const std::string folder = path.parent_path().filename().native();
    return path.extension() == ".jsonl" &&
           !absl::StartsWith(path.filename().native(), "agent-") &&
           (IsProjectFolder(folder, written_name) ||
            IsProjectFolder(folder, real_name));
  };
  for (const SessionFile& file : NewestFiles(root, 1, is_session)) {
    if (IsSessionOf(file, cwd)) return file.path.stem().native();
  }
  return NoSession("Claude Code", cwd, root);
}

}  // namespace troika::claude
