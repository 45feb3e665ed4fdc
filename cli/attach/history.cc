#include "cli/attach/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/io.h"

namespace troika::cli {
namespace {

// A line of the file has no newline within.
std::string Encoded(absl::string_view line) {
  return absl::StrCat(
      absl::StrReplaceAll(line, {{"\\", "\\\\"}, {"\n", "\\n"}}), "\n");
}

std::string Decoded(absl::string_view text) {
  return absl::StrReplaceAll(json::ToValidUtf8(text),
                             {{"\\\\", "\\"}, {"\\n", "\n"}});
}

absl::StatusOr<UniqueFd> Open(const std::string& path, int flags) {
  UniqueFd fd(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                   S_IRUSR | S_IWUSR));
  struct stat info = {};
  if (!fd.ok() || fstat(fd.get(), &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat("open ", path, ": it is not a file"));
  }
  return fd;
}

absl::StatusOr<off_t> SizeOf(int fd) {
  struct stat info = {};
  if (fstat(fd, &info) != 0) return absl::ErrnoToStatus(errno, "fstat");
  return info.st_size;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> HistoryFile::Load() const {
  const absl::StatusOr<UniqueFd> fd = Open(path_, O_RDONLY);
  std::vector<std::string> lines;
  if (absl::IsNotFound(fd.status())) return lines;
  RETURN_IF_ERROR(fd.status());
  ASSIGN_OR_RETURN(const off_t size, SizeOf(fd->get()));
  // A file that others have made longer is read from its end.
  const off_t most = kMaxFileBytes + kMaxLineBytes;
  if (size > most) lseek(fd->get(), size - most, SEEK_SET);
  ASSIGN_OR_RETURN(const std::string bytes,
                   ReadToEnd(fd->get(), path_, 2 * kMaxFileBytes));
  const std::vector<absl::string_view> all = absl::StrSplit(bytes, '\n');
  // What follows the last newline is not a whole line.
  const size_t end = all.size() - 1;
  for (size_t i = end > kMaxLines ? end - kMaxLines : 0; i < end; ++i) {
    if (!all[i].empty()) lines.push_back(Decoded(all[i]));
  }
  return lines;
}

absl::Status HistoryFile::Add(absl::string_view line) const {
  if (line.empty() || line.size() > kMaxLineBytes) return absl::OkStatus();
  ASSIGN_OR_RETURN(const UniqueFd fd,
                   Open(path_, O_WRONLY | O_CREAT | O_APPEND));
  RETURN_IF_ERROR(WriteAll(fd.get(), Encoded(line)));
  ASSIGN_OR_RETURN(const off_t size, SizeOf(fd.get()));
  return size > static_cast<off_t>(kMaxFileBytes) ? Shorten()
                                                  : absl::OkStatus();
}

absl::Status HistoryFile::Shorten() const {
  ASSIGN_OR_RETURN(const std::vector<std::string> lines, Load());
  std::vector<std::string> kept;
  size_t bytes = 0;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    kept.push_back(Encoded(*line));
    bytes += kept.back().size();
    // Leaves room, so that not every line shortens the file.
    if (bytes > kMaxFileBytes / 2) break;
  }
  std::string text;
  for (auto line = kept.rbegin(); line != kept.rend(); ++line) text += *line;
  const std::string path = absl::StrCat(path_, ".", getpid());
  {
    ASSIGN_OR_RETURN(const UniqueFd fd,
                     Open(path, O_WRONLY | O_CREAT | O_TRUNC));
    RETURN_IF_ERROR(WriteAll(fd.get(), text));
  }
  if (rename(path.c_str(), path_.c_str()) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("rename ", path));
}

}  // namespace troika::cli
