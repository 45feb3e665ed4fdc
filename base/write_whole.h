// Writes all bytes to a descriptor, however few each call of write() takes.
#ifndef TROIKA_BASE_WRITE_WHOLE_H_
#define TROIKA_BASE_WRITE_WHOLE_H_

#include <errno.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace troika {

// An error begins with "write" and `what`. Blocks if the descriptor does.
inline absl::Status WriteWhole(int fd, absl::string_view bytes,
                               absl::string_view what) {
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("write ", what));
    }
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

}  // namespace troika

#endif  // TROIKA_BASE_WRITE_WHOLE_H_
