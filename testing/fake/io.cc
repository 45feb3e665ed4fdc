#include "testing/fake/io.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace troika::fake {
namespace {

constexpr size_t kReadBytes = size_t{1} << 16;
constexpr size_t kFloodBytes = size_t{1} << 18;

}  // namespace

absl::Status WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return absl::ErrnoToStatus(errno, absl::StrCat("write to fd ", fd));
    }
  }
  return absl::OkStatus();
}

std::string ReadToEnd(int fd) {
  std::string all;
  while (true) {
    const size_t size = all.size();
    all.resize(size + kReadBytes);
    const ssize_t got = read(fd, all.data() + size, kReadBytes);
    all.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0 || (got < 0 && errno != EINTR)) return all;
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  const absl::Cleanup close_it = [fd] { close(fd); };
  return ReadToEnd(fd);
}

absl::Status WriteFile(const std::string& path, absl::string_view bytes) {
  const std::filesystem::path folder =
      std::filesystem::path(path).parent_path();
  std::error_code ignored;  // The file that can't be opened says it.
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  const int fd =
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  const absl::Cleanup close_it = [fd] { close(fd); };
  return WriteAll(fd, bytes);
}

absl::Status WriteMany(int fd, absl::string_view line, int64_t count) {
  if (line.empty()) return absl::OkStatus();
  const int64_t fit =
      std::max<int64_t>(1, static_cast<int64_t>(kFloodBytes / line.size()));
  const int64_t at_once = std::min(count, fit);
  std::string lines;
  for (int64_t i = 0; i < at_once; ++i) absl::StrAppend(&lines, line);
  while (count > 0) {
    const int64_t now = std::min(count, at_once);
    const absl::Status status =
        WriteAll(fd, absl::string_view(lines).substr(
                         0, static_cast<size_t>(now) * line.size()));
    if (!status.ok()) return status;
    count -= now;
  }
  return absl::OkStatus();
}

std::string Garbage(int64_t size) {
  std::string bytes(static_cast<size_t>(size), '\0');
  uint64_t state = 0x9E3779B97F4A7C15;
  for (char& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<char>(state >> 32);
  }
  return bytes;
}

void Die(int exit_code, absl::string_view why) {
  // There is nobody to tell where this fails too.
  (void)WriteAll(STDERR_FILENO, absl::StrCat(why, "\n"));
  _exit(exit_code);
}

void DieIfBad(const absl::Status& status) {
  if (!status.ok()) Die(kBadScript, absl::StrCat("fake: ", status.message()));
}

}  // namespace troika::fake
