#include "agent/codex/sessions.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/discovery/cli_files.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace troika::codex {
namespace {

namespace fs = std::filesystem;

constexpr char kArchive[] = "archived_sessions";

// Returns the texts of a message's content, one below the other.
std::string ContentText(json::Value content) {
  std::string text;
  for (const json::Value part : content.items()) {
    const absl::string_view more = part.Get("text").StringOr("");
    if (!text.empty() && !more.empty()) text += '\n';
    text.append(more.data(), more.size());
  }
  return text;
}

// Returns the prompt if the line is one, in either history mode. The first
// message of role "user" is none: it describes the environment.
std::string PromptOf(json::Value line) {
  if (line.Get("type").StringOr("") != "event_msg") return "";
  const json::Value payload = line.Get("payload");
  const absl::string_view type = payload.Get("type").StringOr("");
  if (type == "user_message") {
    return std::string(payload.Get("message").StringOr(""));
  }
  const json::Value item = payload.Get("item");
  if (type != "item_completed" ||
      item.Get("type").StringOr("") != "UserMessage") {
    return "";
  }
  return ContentText(item.Get("content"));
}

bool IsSubagent(json::Value meta) {
  return meta.Get("parent_thread_id").IsString() ||
         meta.Get("source").Get("subagent").exists();
}

NativeSession FromMeta(json::Value meta) {
  return {.id = std::string(meta.Get("id").StringOr("")),
          .cwd = std::string(meta.Get("cwd").StringOr("")),
          .forked_from = std::string(meta.Get("forked_from_id").StringOr("")),
          .started = SessionTime(meta.Get("timestamp").StringOr(""))};
}

// Reads the first line and the first prompt.
SessionReading ReadBeginning(const SessionFile& file) {
  std::optional<NativeSession> session;
  bool subagent = false;
  bool foreign = false;
  const absl::StatusOr<int> objects =
      VisitFirstLines(file, [&](json::Value line) {
        if (!session) {
          const json::Value meta = line.Get("payload");
          foreign = line.Get("type").StringOr("") != "session_meta";
          subagent = IsSubagent(meta);
          if (foreign || subagent) return false;
          session = FromMeta(meta);
        }
        session->first_prompt = PromptBeginning(PromptOf(line));
        return session->first_prompt.empty();
      });
  RETURN_IF_ERROR(objects.status());
  if (subagent) return std::nullopt;
  if (foreign || !session) {
    return absl::DataLossError(
        file.size == 0 ? "it is empty" : "its first line is no session_meta");
  }
  return session;
}

SessionReading Read(const SessionFile& file) {
  if (file.path.extension() == ".zst") {
    return absl::UnimplementedError(
        "it is compressed, which is not read; Codex can still resume it");
  }
  ASSIGN_OR_RETURN(std::optional<NativeSession> session, ReadBeginning(file));
  if (!session) return session;
  RETURN_IF_ERROR(VisitLastLines(file, [&](json::Value line) {
                    if (line.Get("type").StringOr("") != "turn_context") {
                      return true;
                    }
                    const json::Value turn = line.Get("payload");
                    session->model =
                        std::string(turn.Get("model").StringOr(""));
                    const absl::string_view cwd = turn.Get("cwd").StringOr("");
                    if (!cwd.empty()) session->cwd = std::string(cwd);
                    return false;
                  }).status());
  session->archived = file.path.parent_path().filename() == kArchive;
  return Checked(*std::move(session));
}

fs::path Home(const Environment& env) {
  return FolderOf(env, "CODEX_HOME", ".codex");
}

std::vector<SessionFile> Files(const Environment& env, absl::string_view) {
  const auto is_rollout = [](const fs::path& path) {
    const std::string name = path.filename().native();
    return absl::StartsWith(name, "rollout-") &&
           (absl::EndsWith(name, ".jsonl") ||
            absl::EndsWith(name, ".jsonl.zst"));
  };
  constexpr int kYearMonthDay = 3;
  std::vector<SessionFile> files =
      NewestFiles(Home(env) / "sessions", kYearMonthDay, is_rollout);
  const std::vector<SessionFile> archived =
      NewestFiles(Home(env) / kArchive, 0, is_rollout);
  files.insert(files.end(), archived.begin(), archived.end());
  SortNewestFirst(&files);
  return files;
}

}  // namespace

absl::Span<const absl::string_view> LoginVariables() {
  static constexpr absl::string_view kVariables[] = {"CODEX_API_KEY",
                                                     "OPENAI_API_KEY"};
  return kVariables;
}

std::optional<bool> LooksLoggedIn(const Environment& env) {
  if (AnySet(env, LoginVariables())) return true;
  const fs::path folder = Home(env);
  if (IsFile(folder / "auth.json")) return true;
  // Another provider needs no such login, and we must not open a keyring.
  const fs::path config = folder / "config.toml";
  if (FileContains(config, "model_provider") ||
      FileContains(config, "cli_auth_credentials_store")) {
    return std::nullopt;
  }
  return false;
}

std::vector<std::string> McpServers(const Environment& env) {
  constexpr int64_t kMaxConfig = int64_t{1} << 20;
  const std::string text = ReadHead(Home(env) / "config.toml", kMaxConfig);
  std::vector<std::string> names;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!absl::ConsumePrefix(&line, "[mcp_servers.")) continue;
    const bool quoted = absl::ConsumePrefix(&line, "\"");
    const size_t end = line.find_first_of(quoted ? "\"" : ".]");
    if (end == absl::string_view::npos) continue;
    std::string name(line.substr(0, end));
    // Tables within that of a server have its name, too.
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

const SessionKeeping& Sessions() {
  static const auto* const kSessions = new SessionKeeping{
      .variables = {"HOME", "CODEX_HOME"},
      .Root = [](const Environment& env) { return Home(env) / "sessions"; },
      .Files = Files,
      .Read = Read};
  return *kSessions;
}

}  // namespace troika::codex
