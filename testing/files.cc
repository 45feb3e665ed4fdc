#include "testing/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadBytes = size_t{1} << 16;

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
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  return ReadToEnd(fd.get());
}

std::string ReadWhole(const std::string& path) {
  return ReadFile(path).value_or("");
}

absl::Status WriteFile(const std::string& path, absl::string_view bytes,
                       mode_t mode) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;  // open() fails as well and reports the reason.
  if (!folder.empty()) fs::create_directories(folder, ignored);
  const UniqueFd fd(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  return WriteAll(fd.get(), bytes);
}

TempFolder::TempFolder(absl::string_view suffix) {
  const char* const base = getenv("TEST_TMPDIR");
  root_ = absl::StrCat(base != nullptr ? base : "/tmp", "/troika_XXXXXX");
  CHECK(mkdtemp(root_.data()) != nullptr);
  root_ = fs::canonical(root_);
  path_ = suffix.empty() ? root_ : absl::StrCat(root_, "/", suffix);
  fs::create_directories(path_);
  fd_ = UniqueFd(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(fd_.ok());
}

TempFolder::~TempFolder() {
  std::error_code error;
  fs::remove_all(root_, error);
}

std::string TempFolder::Path(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

std::string TempFolder::Read(absl::string_view name) const {
  return ReadWhole(Path(name));
}

void TempFolder::Write(absl::string_view name, absl::string_view text,
                       int64_t changed) const {
  CHECK(WriteFile(Path(name), text).ok());
  const struct timespec times[2] = {{.tv_sec = changed}, {.tv_sec = changed}};
  CHECK(utimensat(AT_FDCWD, Path(name).c_str(), times, 0) == 0);
}

void TempFolder::WriteProgram(absl::string_view name,
                              absl::string_view script) const {
  Write(name, absl::StrCat("#!/bin/sh\n", script));
  CHECK(chmod(Path(name).c_str(), 0755) == 0);
}

}  // namespace troika
