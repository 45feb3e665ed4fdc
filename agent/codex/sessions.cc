#include "agent/codex/sessions.h"

#include <filesystem>

#include "absl/strings/match.h"
#include "agent/discovery/session_files.h"

namespace troika::codex {
namespace {

// The first line has 22 KB of instructions in it.
constexpr int64_t kHeadBytes = 1 << 20;
// Where a turn says less than this, its start, which has the folder, is seen.
constexpr int64_t kTailBytes = 1 << 20;

struct Meta {
  std::string id;
  std::string cwd;
};

// Of a file that is no session's or a subagent's, nothing.
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

absl::StatusOr<std::string> LatestSession(absl::string_view cwd,
                                          const Environment& env) {
  std::filesystem::path home(std::string(env.Get("CODEX_HOME")));
  if (home.empty()) {
    home = std::filesystem::path(std::string(env.Get("HOME"))) / ".codex";
  }
  const std::filesystem::path root = home / "sessions";
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
