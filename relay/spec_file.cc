#include "relay/spec_file.h"

#include <errno.h>
#include <unistd.h>

#include <string>

#include "absl/status/status.h"

namespace troika::relay {

absl::StatusOr<RelaySpec> ReadSpec(int fd) {
  std::string bytes;
  char chunk[16384];
  while (true) {
    const ssize_t n =
        pread(fd, chunk, sizeof(chunk), static_cast<off_t>(bytes.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "read the relay's spec");
    if (n == 0) break;
    bytes.append(chunk, static_cast<size_t>(n));
  }
  return DecodeSpec(bytes);
}

}  // namespace troika::relay
