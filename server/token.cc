#include "server/token.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/fd.h"
#include "base/read_file.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr size_t kRandomBytes = 32;
constexpr size_t kMaxToken = 1024;

// Whether the file's contents, owner or mode are unsafe.
int64_t ChangedNs(const struct stat& info) {
  return info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec;
}

absl::Status Make(const std::string& path) {
  char random[kRandomBytes];
  if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
    return absl::ErrnoToStatus(errno, "make a token");
  }
  const std::string text = absl::StrCat(
      absl::WebSafeBase64Escape(absl::string_view(random, sizeof(random))),
      "\n");
  // Whole or not at all, whoever else makes one.
  const std::string draft = absl::StrCat(path, ".", getpid());
  {
    const UniqueFd file(
        open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.ok() || write(file.get(), text.data(), text.size()) !=
                          static_cast<ssize_t>(text.size())) {
      const int error = errno;
      unlink(draft.c_str());
      return absl::ErrnoToStatus(error, absl::StrCat("write ", draft));
    }
  }
  const int linked = link(draft.c_str(), path.c_str());
  const int error = errno;
  unlink(draft.c_str());
  if (linked != 0 && error != EEXIST) {
    return absl::ErrnoToStatus(error, absl::StrCat("make ", path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Token> Token::Open(const std::string& path) {
  Token token(path);
  if (access(path.c_str(), F_OK) != 0) {
    const absl::Status made = Make(path);
    // Without a token nobody gets in by TCP, but a server has to start on a
    // full disk, too: else nothing could be stopped.
    if (absl::IsResourceExhausted(made)) return token;
    RETURN_IF_ERROR(made);
  }
  RETURN_IF_ERROR(token.Read());
  return token;
}

absl::Status Token::Read() {
  value_.clear();
  problem_ = absl::FailedPreconditionError("the token file can't be read");
  ASSIGN_OR_RETURN(const RegularFile file, OpenRegularFile(AT_FDCWD, path_));
  struct stat info = {};
  if (fstat(file.fd.get(), &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("read ", path_));
  }
  inode_ = info.st_ino;
  changed_ns_ = ChangedNs(info);
  if ((info.st_mode & 077) != 0 || info.st_uid != geteuid()) {
    problem_ = absl::FailedPreconditionError(
        "the token file can be read by others: chmod 600 it");
    return absl::FailedPreconditionError(absl::StrCat(
        path_,
        " can be read by others: chmod 600 it, or remove it for a new "
        "one"));
  }
  std::string text(kMaxToken, '\0');
  const ssize_t n = read(file.fd.get(), text.data(), text.size());
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  text = std::string(absl::StripAsciiWhitespace(text));
  if (text.size() < 16) {
    problem_ = absl::FailedPreconditionError(
        "the token file holds no token of 16 characters or more");
    return absl::FailedPreconditionError(absl::StrCat(
        path_,
        " holds no token of 16 characters or more: remove it for a new "
        "one"));
  }
  value_ = std::move(text);
  problem_ = absl::OkStatus();
  return absl::OkStatus();
}

bool Token::Matches(absl::string_view given) {
  struct stat info = {};
  if (stat(path_.c_str(), &info) != 0) {
    value_.clear();
    inode_ = 0;
    problem_ = absl::FailedPreconditionError("the token file is gone");
  } else if (info.st_ino != inode_ || ChangedNs(info) != changed_ns_) {
    Read().IgnoreError();
  }
  unsigned char difference = value_.size() == given.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char own = value_.empty() ? '\0' : value_[i % value_.size()];
    difference |= static_cast<unsigned char>(own ^ given[i]);
  }
  return difference == 0 && !value_.empty();
}

}  // namespace troika
