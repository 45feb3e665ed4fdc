#include "task/home.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/blocking.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_whole.h"
#include "relay/log_format.h"
#include "xxhash.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

// More than a program can be started with (MakeTask).
constexpr size_t kMaxEnvBytes = size_t{4} << 20;
constexpr size_t kShownIds = 5;
constexpr size_t kTimeDigits = 8;  // Milliseconds, enough until 2059.
constexpr size_t kRandomDigits = 4;

std::string Base36(uint64_t value, size_t digits) {
  static constexpr char kDigits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string text(digits, '0');
  for (size_t i = digits; i-- > 0; value /= 36) text[i] = kDigits[value % 36];
  return text;
}

std::string NewId() {
  uint64_t random = 0;
  (void)!getrandom(&random, sizeof(random), 0);
  return Base36(static_cast<uint64_t>(absl::ToUnixMillis(absl::Now())),
                kTimeDigits) +
         Base36(random, kRandomDigits);
}

// By modes and not by umask(), which is the whole process's.
absl::Status MakeFolders(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
      const int error = errno;
      std::error_code ignored;
      // Those above may be on a file system that is read only.
      if (!fs::is_directory(folder, ignored)) {
        return absl::ErrnoToStatus(error, absl::StrCat("make ", folder));
      }
    }
    if (end == std::string::npos) break;
  }
  std::error_code error;
  if (fs::is_directory(path, error)) return absl::OkStatus();
  return absl::ErrnoToStatus(ENOTDIR, absl::StrCat("make ", path));
}

// Whether a prepared folder is still as PrepareFolder() has left it. Others may
// have put something else there, which no task is to be made of.
bool IsUntouched(const std::string& path) {
  const auto is_ours = [](const struct stat& info) {
    return info.st_uid == geteuid() && (info.st_mode & 077) == 0;
  };
  UniqueFd fd(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info = {};
  if (!fd.ok() || fstat(fd.get(), &info) != 0 || !is_ours(info)) return false;
  DIR* const folder = fdopendir(fd.get());
  if (folder == nullptr) return false;
  const int number = fd.Release();
  const absl::Cleanup close = [&] { closedir(folder); };
  while (const dirent* entry = readdir(folder)) {
    const absl::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (fstatat(number, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode) || info.st_nlink != 1 || info.st_size != 0 ||
        !is_ours(info)) {
      return false;
    }
  }
  return true;
}

// The contents of the file `env`.
std::string Encoded(const Environment& environment) {
  std::string bytes;
  for (const auto& [name, value] : environment.variables()) {
    absl::StrAppend(&bytes, name, "=", value);
    bytes += '\0';
  }
  return bytes;
}

}  // namespace

absl::StatusOr<Home> Home::Open(const Environment& environment) {
  std::string path(environment.Get("TROIKA_HOME"));
  if (path.empty()) {
    const absl::string_view home = environment.Get("HOME");
    if (home.empty()) {
      return absl::FailedPreconditionError(
          "find troika's folder: set TROIKA_HOME, as HOME is not set");
    }
    path = absl::StrCat(home, "/.local/state/troika");
  }
  std::error_code error;
  path = fs::absolute(path, error).string();
  RETURN_IF_ERROR(MakeFolders(path + "/tasks"));
  RETURN_IF_ERROR(MakeFolders(path + "/cache"));
  return Home(std::move(path));
}

std::string Home::TaskPath(absl::string_view id) const {
  return absl::StrCat(tasks_path(), "/", id);
}

absl::StatusOr<std::string> Home::PrepareFolder(
    absl::Span<const char* const> more) const {
  AssertMayBlock("sync of a folder");
  RETURN_IF_ERROR(MakeFolders(prepared_path()));
  std::string path = absl::StrCat(prepared_path(), "/", NewId());
  const auto failed = [&](absl::string_view what) {
    return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
  };
  if (mkdir(path.c_str(), 0700) != 0) return failed("make");
  const UniqueFd folder(
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.ok()) return failed("open");
  std::vector<const char*> names = {kEnvironmentName, relay::kLogName};
  names.insert(names.end(), more.begin(), more.end());
  for (const char* name : names) {
    const UniqueFd file(openat(folder.get(), name,
                               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file.ok()) return failed("make a file in");
  }
  if (fsync(folder.get()) != 0) return failed("sync");
  return path;
}

void Home::RemovePreparedFolders() const {
  std::error_code ignored;
  fs::remove_all(prepared_path(), ignored);
}

absl::StatusOr<TaskFolder> Home::NewTask(const std::string& prepared) const {
  // A prepared folder that is gone or was changed is not needed.
  const bool usable = !prepared.empty() && IsUntouched(prepared);
  while (true) {
    std::string id = NewId();
    const std::string path = TaskPath(id);
    if (usable && renameat2(AT_FDCWD, prepared.c_str(), AT_FDCWD, path.c_str(),
                            RENAME_NOREPLACE) == 0) {
      return OpenTask(std::move(id));
    }
    if (mkdir(path.c_str(), 0700) == 0) return OpenTask(std::move(id));
    if (errno != EEXIST) {
      return absl::ErrnoToStatus(errno, absl::StrCat("make ", path));
    }
  }
}

absl::StatusOr<TaskFolder> Home::OpenTask(std::string id) const {
  TaskFolder folder;
  folder.path = TaskPath(id);
  folder.id = std::move(id);
  folder.fd = UniqueFd(open(folder.path.c_str(),
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.fd.ok()) {
    const int error = errno;
    struct stat info = {};
    if (lstat(folder.path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
      return absl::PermissionDeniedError(absl::StrCat(
          folder.path,
          " is a link, which is not followed: put the folder there"));
    }
    return absl::ErrnoToStatus(error, absl::StrCat("open ", folder.path));
  }
  return folder;
}

absl::StatusOr<TaskFolder> Home::FindTask(absl::string_view id) const {
  if (!relay::IsTaskId(id)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", id, "\" is no id of a task: `troika tasks` lists them"));
  }
  std::vector<std::string> found;
  for (std::string& one : TaskIds()) {
    if (one == id) return OpenTask(std::move(one));
    if (absl::StartsWith(one, id)) found.push_back(std::move(one));
  }
  if (found.size() == 1) return OpenTask(std::move(found[0]));
  if (found.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no task ", id, " in ", path_, "/tasks"));
  }
  const std::string more = found.size() > kShownIds ? ", …" : "";
  found.resize(std::min(found.size(), kShownIds));
  return absl::InvalidArgumentError(absl::StrCat(
      "several tasks begin with ", id, ": ", absl::StrJoin(found, ", "), more));
}

std::vector<std::string> Home::TaskIds() const {
  std::vector<std::string> ids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(tasks_path(), error)) {
    std::string id = entry.path().filename().string();
    if (relay::IsTaskId(id)) ids.push_back(std::move(id));
  }
  std::sort(ids.rbegin(), ids.rend());
  return ids;
}

std::string EnvironmentDigest(const Environment& environment) {
  const std::string bytes = Encoded(environment);
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

absl::Status WriteEnvironment(const TaskFolder& folder,
                              const Environment& environment) {
  const UniqueFd file(openat(folder.fd.get(), kEnvironmentName,
                             O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                             0600));
  struct stat info = {};
  // ext4 writes a file to the disk when it is closed if it was truncated, even
  // if it was empty, as that of a prepared folder is.
  if (!file.ok() || fstat(file.get(), &info) != 0 ||
      (info.st_size > 0 && ftruncate(file.get(), 0) != 0)) {
    return absl::ErrnoToStatus(errno, "keep the environment");
  }
  return WriteWhole(file.get(), Encoded(environment), "the environment");
}

absl::StatusOr<Environment> ReadEnvironment(const TaskFolder& folder) {
  ASSIGN_OR_RETURN(
      const std::string bytes,
      ReadFileUpTo(folder.fd.get(), kEnvironmentName, kMaxEnvBytes));
  Environment::Map variables;
  for (const absl::string_view entry :
       absl::StrSplit(bytes, '\0', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(entry, absl::MaxSplits('=', 1));
    variables.emplace(parts.first, parts.second);
  }
  return Environment(std::move(variables));
}

}  // namespace troika
