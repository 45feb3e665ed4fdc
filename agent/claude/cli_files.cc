#include "agent/claude/cli_files.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "agent/discovery/cli_files.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace troika::claude {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxName = 200;

// Returns the name of the folder for `cwd`, in which all characters except
// letters and digits become dashes. The CLI cuts names over kMaxName characters
// and appends a hash, which is not done here.
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

bool IsProjectFolder(absl::string_view name, absl::string_view project) {
  if (project.size() <= kMaxName) return name == project;
  return name.size() > kMaxName && name[kMaxName] == '-' &&
         absl::StartsWith(name, project.substr(0, kMaxName));
}

fs::path Projects(const Environment& env) {
  return FolderOf(env, "CLAUDE_CONFIG_DIR", ".claude") / "projects";
}

std::vector<SessionFile> Files(const Environment& env, absl::string_view cwd) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(std::string(cwd), error);
  const std::string written_name = ProjectFolder(cwd);
  const std::string real_name = ProjectFolder(real.native());
  return NewestFiles(Projects(env), 1, [&](const fs::path& path) {
    if (path.extension() != ".jsonl" ||
        absl::StartsWith(path.filename().native(), "agent-")) {
      return false;
    }
    if (cwd.empty()) return true;
    const std::string folder = path.parent_path().filename().native();
    return IsProjectFolder(folder, written_name) ||
           IsProjectFolder(folder, real_name);
  });
}

// Returns the user's words, or nothing if the CLI itself wrote the entry: a
// tool's result, a command of its own such as /clear, or what came of that.
absl::string_view PromptOf(json::Value entry) {
  if (entry.Get("type").StringOr("") != "user" ||
      entry.Get("isMeta").BoolOr(false) ||
      entry.Get("isCompactSummary").BoolOr(false)) {
    return "";
  }
  const json::Value content = entry.Get("message").Get("content");
  absl::string_view text = content.StringOr("");
  for (const json::Value block : content.items()) {
    if (block.Get("type").StringOr("") != "text") continue;
    text = block.Get("text").StringOr("");
    break;
  }
  const bool own = absl::StartsWith(text, "<command-") ||
                   absl::StartsWith(text, "<local-command-");
  return own ? "" : text;
}

struct Beginning {
  NativeSession session;
  bool is_conversation = false;
  bool is_subagent = false;
};

// Takes what an entry tells. Returns whether more entries are needed.
bool Take(json::Value entry, Beginning* beginning) {
  NativeSession& session = beginning->session;
  const absl::string_view type = entry.Get("type").StringOr("");
  beginning->is_conversation |=
      type == "user" || type == "assistant" || entry.Get("cwd").IsString();
  if (!session.started) {
    session.started = SessionTime(entry.Get("timestamp").StringOr(""));
  }
  if (session.forked_from.empty()) {
    session.forked_from =
        std::string(entry.Get("forkedFrom").Get("sessionId").StringOr(""));
  }
  if (session.cwd.empty()) {
    session.cwd = std::string(entry.Get("cwd").StringOr(""));
    beginning->is_subagent =
        !session.cwd.empty() && entry.Get("isSidechain").BoolOr(false);
    if (beginning->is_subagent) return false;
  }
  session.first_prompt = PromptBeginning(PromptOf(entry));
  return session.cwd.empty() || session.first_prompt.empty();
}

SessionReading Read(const SessionFile& file) {
  Beginning beginning;
  NativeSession& session = beginning.session;
  ASSIGN_OR_RETURN(const int objects,
                   VisitFirstLines(file, [&](json::Value entry) {
                     return Take(entry, &beginning);
                   }));
  if (beginning.is_subagent) return std::nullopt;
  RETURN_IF_ERROR(VisitLastLines(file, [&](json::Value entry) {
                    const absl::string_view model =
                        entry.Get("message").Get("model").StringOr("");
                    if (session.cwd.empty()) {
                      session.cwd = std::string(entry.Get("cwd").StringOr(""));
                    }
                    // The CLI makes answers of its own, such as after an
                    // interrupt.
                    if (model.empty() || model == "<synthetic>") return true;
                    beginning.is_conversation = true;
                    session.model = std::string(model);
                    return false;
                  }).status());
  if (!beginning.is_conversation) {
    // Files may hold only titles of other sessions, and 2.0.50 leaves empty
    // ones.
    if (objects > 0 || file.size == 0) return std::nullopt;
    return absl::DataLossError("none of its lines is JSON");
  }
  session.id = file.path.stem().native();
  return Checked(std::move(session));
}

}  // namespace

absl::Span<const absl::string_view> LoginVariables() {
  static constexpr absl::string_view kVariables[] = {
      "ANTHROPIC_API_KEY",       "ANTHROPIC_AUTH_TOKEN",
      "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK",
      "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_VERTEX"};
  return kVariables;
}

std::optional<bool> LooksLoggedIn(const Environment& env) {
  if (AnySet(env, LoginVariables())) return true;
  const fs::path folder = FolderOf(env, "CLAUDE_CONFIG_DIR", ".claude");
  if (IsFile(folder / ".credentials.json")) return true;
  // The user's helper program may or may not have a key.
  if (FileContains(folder / "settings.json", "\"apiKeyHelper\"")) {
    return std::nullopt;
  }
  // The CLI's configuration is in HOME unless CLAUDE_CONFIG_DIR is set.
  const fs::path config =
      FolderOf(env, "CLAUDE_CONFIG_DIR", "") / ".claude.json";
  return FileContains(config, "\"oauthAccount\"") ||
         FileContains(config, "\"primaryApiKey\"");
}

const SessionKeeping& Sessions() {
  static const auto* const kSessions =
      new SessionKeeping{.variables = {"HOME", "CLAUDE_CONFIG_DIR"},
                         .Root = Projects,
                         .Files = Files,
                         .Read = Read};
  return *kSessions;
}

}  // namespace troika::claude
