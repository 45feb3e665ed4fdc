// Reads the files that CLIs keep about logins and sessions, and the variables
// that lead to them. Nothing is ever written, and no secret is kept. Files may
// be gigabytes long, broken, or vanish while they are read: a file that can't
// be read counts as empty.
#ifndef TROIKA_AGENT_DISCOVERY_CLI_FILES_H_
#define TROIKA_AGENT_DISCOVERY_CLI_FILES_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "base/json.h"

namespace troika {

bool AnySet(const Environment& env, absl::Span<const absl::string_view> names);
// The folder that the variable names; if it is not set, `under_home` in HOME.
std::filesystem::path FolderOf(const Environment& env,
                               absl::string_view variable,
                               absl::string_view under_home);
bool IsFile(const std::filesystem::path& path);
// Whether the first megabytes of the file contain the text.
bool FileContains(const std::filesystem::path& path, absl::string_view text);

struct SessionFile {
  std::filesystem::path path;
  int64_t size = 0;
  int64_t changed_ns = 0;
};

// The regular files that `wanted` accepts, `depth` folders below `root` (0: in
// it), last changed first. At most kMaxSessionFiles of them.
inline constexpr size_t kMaxSessionFiles = 2000;
std::vector<SessionFile> NewestFiles(
    const std::filesystem::path& root, int depth,
    absl::FunctionRef<bool(const std::filesystem::path&)> wanted);

// At most `limit` bytes from the file's start, or its end.
std::string ReadHead(const std::filesystem::path& path, int64_t limit);
std::string ReadTail(const std::filesystem::path& path, int64_t limit);

// Calls `visit` with each line of `text` that is a JSON object, from the first
// or the last one on, until it returns false.
enum class Direction { kForward, kBackward };
void VisitLines(absl::string_view text, Direction direction,
                absl::FunctionRef<bool(json::Value)> visit);

// Whether two paths name the same folder: as written, or where links lead.
bool SameFolder(absl::string_view a, absl::string_view b);

absl::Status NoSession(absl::string_view cli, absl::string_view cwd,
                       const std::filesystem::path& where);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_CLI_FILES_H_
