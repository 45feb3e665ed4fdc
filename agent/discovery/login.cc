#include "agent/discovery/login.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/discovery/session_files.h"

namespace troika {
namespace {

constexpr int64_t kMaxRead = int64_t{4} << 20;

}  // namespace

bool AnySet(const Environment& env, absl::Span<const absl::string_view> names) {
  return std::any_of(names.begin(), names.end(), [&](absl::string_view name) {
    return !env.Get(name).empty();
  });
}

std::string FolderOf(const Environment& env, absl::string_view variable,
                     absl::string_view under_home) {
  if (const auto folder = env.Get(variable); !folder.empty()) {
    return std::string(folder);
  }
  return absl::StrCat(env.Get("HOME"), "/", under_home);
}

bool IsFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

bool FileHolds(const std::string& path, absl::string_view text) {
  return IsFile(path) && absl::StrContains(ReadHead(path, kMaxRead), text);
}

}  // namespace troika
