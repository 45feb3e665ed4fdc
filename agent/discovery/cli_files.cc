#include "agent/discovery/cli_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxConfigBytes = int64_t{4} << 20;

void Collect(const fs::path& folder, int depth,
             absl::FunctionRef<bool(const fs::path&)> wanted,
             std::vector<SessionFile>* out) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    struct stat info;
    if (stat(it->path().c_str(), &info) != 0) continue;
    if (depth > 0) {
      if (S_ISDIR(info.st_mode)) Collect(it->path(), depth - 1, wanted, out);
    } else if (S_ISREG(info.st_mode) && wanted(it->path())) {
      out->push_back({.path = it->path(),
                      .size = info.st_size,
                      .changed = absl::TimeFromTimespec(info.st_mtim)});
    }
  }
}

fs::path Resolved(absl::string_view path) {
  std::error_code error;
  const fs::path written(std::string{path});
  const fs::path real = fs::weakly_canonical(written, error);
  return error ? written.lexically_normal() : real;
}

}  // namespace

bool AnySet(const Environment& env, absl::Span<const absl::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](absl::string_view name) {
    return !env.Get(name).empty();
  });
}

fs::path FolderOf(const Environment& env, absl::string_view variable,
                  absl::string_view under_home) {
  if (const auto folder = env.Get(variable); !folder.empty()) {
    return std::string(folder);
  }
  return absl::StrCat(env.Get("HOME"), "/", under_home);
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool FileContains(const fs::path& path, absl::string_view text) {
  return IsFile(path) &&
         absl::StrContains(ReadHead(path, kMaxConfigBytes), text);
}

void SortNewestFirst(std::vector<SessionFile>* files) {
  std::sort(files->begin(), files->end(),
            [](const SessionFile& a, const SessionFile& b) {
              // Times may be equal; the names usually contain the date.
              return std::tie(a.changed, a.path) > std::tie(b.changed, b.path);
            });
}

std::vector<SessionFile> NewestFiles(
    const fs::path& root, int depth,
    absl::FunctionRef<bool(const fs::path&)> wanted) {
  std::vector<SessionFile> files;
  Collect(root, depth, wanted, &files);
  SortNewestFirst(&files);
  return files;
}

std::string ReadHead(const fs::path& path, int64_t limit) {
  return ReadFileHead(path.native(), static_cast<size_t>(limit)).value_or("");
}

std::string ReadTail(const fs::path& path, int64_t limit) {
  return ReadFileTail(path.native(), static_cast<size_t>(limit)).value_or("");
}

void VisitLines(absl::string_view text, Direction direction,
                absl::FunctionRef<bool(json::Value)> visit) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  if (direction == Direction::kBackward) {
    std::reverse(lines.begin(), lines.end());
  }
  json::Parser parser;
  for (const absl::string_view line : lines) {
    // The first or last line may be incomplete and is skipped then.
    const absl::StatusOr<json::Value> value = parser.Parse(line);
    if (value.ok() && value->IsObject() && !visit(*value)) return;
  }
}

bool SameFolder(absl::string_view a, absl::string_view b) {
  return !a.empty() && !b.empty() && (a == b || Resolved(a) == Resolved(b));
}

}  // namespace troika
