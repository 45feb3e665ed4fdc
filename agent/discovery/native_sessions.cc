#include "agent/discovery/native_sessions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace troika {
namespace {

// Codex's first line alone has 22 KB.
constexpr int64_t kFewBytes = 64 << 10;
constexpr int64_t kManyBytes = 4 << 20;
constexpr size_t kMaxIdBytes = 200;
constexpr size_t kMaxModelBytes = 200;
constexpr size_t kMaxCwdBytes = 4096;
// More than lists show, by the length of the longest secret (dto/redact.h): one
// that is cut can't be recognized as such.
constexpr size_t kMaxPromptBytes = size_t{257} << 10;
constexpr int64_t kLastSecond = int64_t{1} << 33;  // In 2242.
// Older ones are not looked at for the latest session of a folder.
constexpr size_t kMaxLatest = 2000;

absl::StatusOr<std::string> Read(const SessionFile& file, int64_t limit,
                                 Direction direction) {
  const auto size = static_cast<size_t>(limit);
  return direction == Direction::kForward
             ? ReadFileHead(file.path.native(), size)
             : ReadFileTail(file.path.native(), size);
}

absl::StatusOr<int> Visit(const SessionFile& file, Direction direction,
                          absl::FunctionRef<bool(json::Value)> visit) {
  int objects = 0;
  for (const int64_t limit : {kFewBytes, kManyBytes}) {
    ASSIGN_OR_RETURN(const std::string text, Read(file, limit, direction));
    objects = 0;
    bool enough = false;
    VisitLines(text, direction, [&](json::Value line) {
      ++objects;
      enough = !visit(line);
      return !enough;
    });
    if (enough || static_cast<int64_t>(text.size()) < limit) break;
  }
  return objects;
}

}  // namespace

absl::StatusOr<int> VisitFirstLines(
    const SessionFile& file, absl::FunctionRef<bool(json::Value)> visit) {
  return Visit(file, Direction::kForward, visit);
}

absl::StatusOr<int> VisitLastLines(const SessionFile& file,
                                   absl::FunctionRef<bool(json::Value)> visit) {
  return Visit(file, Direction::kBackward, visit);
}

std::string PromptBeginning(absl::string_view prompt) {
  return std::string(
      CutAtCharacter(absl::StripAsciiWhitespace(prompt), kMaxPromptBytes));
}

std::optional<absl::Time> SessionTime(absl::string_view text) {
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, text, &time, nullptr)) {
    return std::nullopt;
  }
  // No session is older than its CLI, and nanoseconds overflow in 2262.
  if (time < absl::UnixEpoch() || time > absl::FromUnixSeconds(kLastSecond)) {
    return std::nullopt;
  }
  return time;
}

SessionReading Checked(NativeSession session) {
  if (session.id.empty() || session.id.size() > kMaxIdBytes) {
    return absl::DataLossError("it has no session id");
  }
  if (session.forked_from.size() > kMaxIdBytes) session.forked_from.clear();
  if (session.cwd.size() > kMaxCwdBytes) session.cwd.clear();
  session.model = std::string(CutAtCharacter(session.model, kMaxModelBytes));
  return session;
}

absl::StatusOr<std::string> LatestSession(const SessionKeeping& keeping,
                                          absl::string_view cli,
                                          absl::string_view cwd,
                                          const Environment& env) {
  std::vector<SessionFile> files = keeping.Files(env, cwd);
  if (files.size() > kMaxLatest) files.resize(kMaxLatest);
  for (const SessionFile& file : files) {
    const SessionReading session = keeping.Read(file);
    if (!session.ok() || !*session || (*session)->archived) continue;
    // If the session does not tell its folder, Files() has chosen it by `cwd`.
    if ((*session)->cwd.empty() || SameFolder((*session)->cwd, cwd)) {
      return (*session)->id;
    }
  }
  return absl::NotFoundError(absl::StrCat(
      "find the latest session of ", cli, " in ", cwd, ": there is none under ",
      keeping.Root(env).native(), "; start a new one, or name the session"));
}

}  // namespace troika
