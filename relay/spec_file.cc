#include "relay/spec_file.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "absl/status/status.h"
#include "base/fd.h"

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

void RehearseReadSpec() {
  RelaySpec spec = {.argv = {"agent"}, .cwd = "/"};
  for (int i = 0; i < 40; ++i) spec.env.push_back(std::string(60, 'x'));
  const std::string bytes = Encode(spec);
  const UniqueFd file(memfd_create("troika-relay-rehearsal", MFD_CLOEXEC));
  if (write(file.get(), bytes.data(), bytes.size()) < 0) return;
  ReadSpec(file.get()).IgnoreError();
}

}  // namespace troika::relay
