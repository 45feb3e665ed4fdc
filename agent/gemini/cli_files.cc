#include "agent/gemini/cli_files.h"

#include <sha2.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "agent/discovery/cli_files.h"
#include "base/json.h"
#include "base/read_file.h"
#include "base/status_macros.h"

namespace troika::gemini {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxPathBytes = 4096;
constexpr int64_t kMaxProjectsBytes = 4 << 20;

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
    const auto real = fs::weakly_canonical(cwd_, error);
    real_hash_ = Sha256Hex(real.native());
  }

  bool Contains(const fs::path& folder) {
    const auto [it, is_new] = known_.try_emplace(folder.native(), false);
    if (is_new) it->second = Matches(folder);
    return it->second;
  }

 private:
  bool Matches(const fs::path& folder) const {
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

fs::path Temporary(const Environment& env) {
  return FolderOf(env, "GEMINI_CLI_HOME", "") / ".gemini" / "tmp";
}

std::vector<SessionFile> Files(const Environment& env, absl::string_view cwd) {
  ProjectFolders folders(cwd);
  constexpr int kProjectAndChats = 2;
  return NewestFiles(
      Temporary(env), kProjectAndChats, [&](const fs::path& path) {
        const fs::path chats = path.parent_path();
        return absl::StartsWith(path.filename().native(), "session-") &&
               (path.extension() == ".jsonl" || path.extension() == ".json") &&
               chats.filename() == "chats" &&
               (cwd.empty() || folders.Contains(chats.parent_path()));
      });
}

// Returns the working folder of the sessions in `folder`, or nothing if it is
// not known.
std::string WorkingFolder(const fs::path& folder) {
  const std::string root = ReadHead(folder / ".project_root", kMaxPathBytes);
  if (!root.empty()) return std::string(absl::StripAsciiWhitespace(root));
  const std::string hash = folder.filename().native();
  if (hash.size() != SHA256_DIGEST_LENGTH * 2) return "";
  const std::string text = ReadHead(
      folder.parent_path().parent_path() / "projects.json", kMaxProjectsBytes);
  json::Parser parser;
  const absl::StatusOr<json::Value> file = parser.Parse(text);
  if (!file.ok()) return "";
  for (const json::Member project : file->Get("projects").members()) {
    if (Sha256Hex(project.key) == hash) return std::string(project.key);
  }
  return "";
}

// Returns the user's words, or nothing if the CLI wrote the message itself: the
// context of the session, or the results of tools.
std::string PromptOf(json::Value message) {
  if (message.Get("type").StringOr("") != "user") return "";
  const json::Value content = message.Get("content");
  absl::string_view text = content.StringOr("");
  for (const json::Value part : content.items()) {
    text = part.Get("text").StringOr("");
    if (!text.empty()) break;
  }
  return absl::StartsWith(text, "<session_context>") ? ""
                                                     : PromptBeginning(text);
}

// Takes what a session's first line, or its only object, tells.
void TakeHead(json::Value head, NativeSession* session) {
  session->id = std::string(head.Get("sessionId").StringOr(""));
  session->started = SessionTime(head.Get("startTime").StringOr(""));
}

bool IsMain(json::Value head) {
  return head.Get("kind").StringOr("main") == "main";
}

SessionReading ReadLines(const SessionFile& file) {
  NativeSession session;
  bool main = true;
  ASSIGN_OR_RETURN(const int objects,
                   VisitFirstLines(file, [&](json::Value line) {
                     if (session.id.empty()) {
                       main = IsMain(line);
                       TakeHead(line, &session);
                       return main && !session.id.empty();
                     }
                     session.first_prompt = PromptOf(line);
                     return session.first_prompt.empty();
                   }));
  if (!main) return std::nullopt;
  if (objects == 0) {
    return absl::DataLossError(file.size == 0 ? "it is empty"
                                              : "none of its lines is JSON");
  }
  RETURN_IF_ERROR(VisitLastLines(file, [&](json::Value line) {
                    session.model = std::string(line.Get("model").StringOr(""));
                    return session.model.empty();
                  }).status());
  return session;
}

// Before 0.35, a session is one object.
SessionReading ReadObject(const SessionFile& file) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFileUpTo(file.path.native(), json::kMaxBytes));
  json::Parser parser;
  const absl::StatusOr<json::Value> object = parser.Parse(text);
  if (!object.ok()) {
    return absl::DataLossError(text.empty() ? "it is empty" : "it is no JSON");
  }
  if (!IsMain(*object)) return std::nullopt;
  NativeSession session;
  TakeHead(*object, &session);
  for (const json::Value message : object->Get("messages").items()) {
    if (session.first_prompt.empty()) session.first_prompt = PromptOf(message);
    const absl::string_view model = message.Get("model").StringOr("");
    if (!model.empty()) session.model = std::string(model);
  }
  return session;
}

SessionReading Read(const SessionFile& file) {
  ASSIGN_OR_RETURN(
      std::optional<NativeSession> session,
      file.path.extension() == ".jsonl" ? ReadLines(file) : ReadObject(file));
  if (!session) return session;
  session->cwd = WorkingFolder(file.path.parent_path().parent_path());
  return Checked(*std::move(session));
}

}  // namespace

absl::Span<const absl::string_view> LoginVariables() {
  static constexpr absl::string_view kVariables[] = {
      "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_GCA",
      "GOOGLE_GENAI_USE_VERTEXAI"};
  return kVariables;
}

std::optional<bool> LooksLoggedIn(const Environment& env) {
  if (AnySet(env, LoginVariables())) return true;
  const fs::path folder = FolderOf(env, "GEMINI_CLI_HOME", "") / ".gemini";
  if (IsFile(folder / "oauth_creds.json")) return true;
  // The CLI reads variables from .env, and its settings may name other logins.
  if (IsFile(folder / ".env") ||
      FileContains(folder / "settings.json", "\"selectedType\"")) {
    return std::nullopt;
  }
  return false;
}

std::vector<std::string> McpServers(const Environment& env) {
  constexpr int64_t kMaxSettings = int64_t{1} << 20;
  const fs::path folder = FolderOf(env, "GEMINI_CLI_HOME", "") / ".gemini";
  const std::string text = ReadHead(folder / "settings.json", kMaxSettings);
  json::Parser parser;
  const auto settings = parser.Parse(text);
  std::vector<std::string> names;
  if (!settings.ok()) return names;
  for (const json::Member& server : settings->Get("mcpServers").members()) {
    names.emplace_back(server.key);
  }
  return names;
}

const SessionKeeping& Sessions() {
  static const auto* const kSessions =
      new SessionKeeping{.variables = {"HOME", "GEMINI_CLI_HOME"},
                         .Root = Temporary,
                         .Files = Files,
                         .Read = Read};
  return *kSessions;
}

}  // namespace troika::gemini
