#include "agent/codex/sessions.h"

#include <filesystem>

#include "absl/strings/match.h"
#include "agent/discovery/cli_files.h"
#include "base/json.h"

namespace troika::codex {
namespace {

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

}  // namespace

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

}  // namespace troika::codex
