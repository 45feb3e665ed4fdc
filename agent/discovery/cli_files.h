// Reads the files that CLIs keep about logins and sessions, and the variables
// that lead to them. Writes nothing and keeps no secrets. The files may be
// gigabytes long, malformed, or deleted while we read them: a file that can't
// be read counts as empty.
#ifndef TROIKA_AGENT_DISCOVERY_CLI_FILES_H_
#define TROIKA_AGENT_DISCOVERY_CLI_FILES_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "base/json.h"

namespace troika {

bool AnySet(const Environment& env, absl::Span<const absl::string_view> names);
// Returns the folder that the variable names, or HOME/`under_home` if unset.
std::filesystem::path FolderOf(const Environment& env,
                               absl::string_view variable,
                               absl::string_view under_home);
bool IsFile(const std::filesystem::path& path);
// Whether the file's first megabytes contain the text.
bool FileContains(const std::filesystem::path& path, absl::string_view text);

struct SessionFile {
  std::filesystem::path path;
  int64_t size = 0;
  absl::Time changed;
};

// Returns the regular files that `wanted` accepts, `depth` folders below `root`
// (0: directly in it), the last changed first.
std::vector<SessionFile> NewestFiles(
    const std::filesystem::path& root, int depth,
    absl::FunctionRef<bool(const std::filesystem::path&)> wanted);
void SortNewestFirst(std::vector<SessionFile>* files);

// Return at most `limit` bytes from the start or the end of the file.
std::string ReadHead(const std::filesystem::path& path, int64_t limit);
std::string ReadTail(const std::filesystem::path& path, int64_t limit);

// Calls `visit` with each line of `text` that is a JSON object, from either
// end, until it returns false.
enum class Direction { kForward, kBackward };
void VisitLines(absl::string_view text, Direction direction,
                absl::FunctionRef<bool(json::Value)> visit);

// Whether two paths name the same folder, before or after links are resolved.
bool SameFolder(absl::string_view a, absl::string_view b);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_CLI_FILES_H_
