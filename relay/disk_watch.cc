#include "relay/disk_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/fd.h"

namespace troika::relay {
namespace {

constexpr char kReserveName[] = "reserve";
constexpr int64_t kReserveBytes = 64 << 10;

}  // namespace

void DiskWatch::Reserve() {
  const UniqueFd fd(openat(dir_fd_, kReserveName,
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  // Without the reserve the last record may be lost; the next reader notices.
  if (fd.ok()) (void)posix_fallocate(fd.get(), 0, kReserveBytes);
}

DiskWatch::~DiskWatch() { UseReserve(); }

void DiskWatch::UseReserve() { unlinkat(dir_fd_, kReserveName, 0); }

std::string DiskWatch::OnWrite(const absl::Status& status, absl::Time now) {
  if (!status.ok()) {
    if (failing_since_) return "";
    failing_since_ = now;
    return absl::StrCat("the agent waits, as its log can't be written: ",
                        status.message());
  }
  if (!failing_since_) return "";
  const absl::Duration failed = now - *failing_since_;
  failing_since_.reset();
  return absl::StrCat("the log could not be written for ",
                      absl::ToInt64Milliseconds(failed),
                      " ms; nothing of it is lost");
}

std::string DiskWatch::Inspect(const LogWriter& log) const {
  struct stat file = {};
  if (fstat(log.fd(), &file) != 0) {
    return absl::StrCat("the log can't be looked at: ", strerror(errno));
  }
  if (file.st_nlink == 0) return "the task's log was removed";
  if (file.st_size < log.offset()) {
    return absl::StrCat("the log was cut from ", log.offset(), " to ",
                        file.st_size, " bytes behind our back");
  }
  return "";
}

}  // namespace troika::relay
