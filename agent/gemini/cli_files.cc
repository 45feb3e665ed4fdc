#include "agent/gemini/cli_files.h"

#include <sha2.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "agent/discovery/cli_files.h"
#include "base/json.h"

namespace troika::gemini {
namespace {

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

}  // namespace

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

}  // namespace troika::gemini
