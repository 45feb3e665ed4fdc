#include "relay/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "relay/log_writer.h"
#include "relay/relay.h"

namespace troika::relay {
namespace {

// Leaves the terminal, the folder, the ignored signals and the descriptors of
// the starter.
void Detach() {
  setsid();
  for (int signal = 1; signal < SIGRTMIN; ++signal) ::signal(signal, SIG_DFL);
  (void)!chdir("/");
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; fd <= 2; ++fd) dup2(null.get(), fd);
  for (int fd = kSpecFd; fd <= kLastInheritedFd; ++fd) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  syscall(SYS_close_range, kLastInheritedFd + 1, ~0U, 0);
}

absl::StatusOr<RelaySpec> ReadSpec() {
  const UniqueFd fd(kSpecFd);
  std::string bytes;
  char chunk[16384];
  while (true) {
    const ssize_t n = read(fd.get(), chunk, sizeof(chunk));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "read the relay's spec");
    if (n == 0) break;
    bytes.append(chunk, static_cast<size_t>(n));
  }
  return DecodeSpec(bytes);
}

void ReportToStarter(absl::string_view text) {
  const UniqueFd ready(kReadyFd);
  (void)!write(ready.get(), text.data(), text.size());
}

absl::Status ServeTask(Clock* clock) {
  ASSIGN_OR_RETURN(RelaySpec spec, ReadSpec());
  ASSIGN_OR_RETURN(LogWriter log, LogWriter::Adopt(UniqueFd(kLogFd), clock));
  Relay relay(std::move(spec), std::move(log), kDirFd, clock);
  RETURN_IF_ERROR(relay.Start());
  ReportToStarter("ok");
  relay.Run();
  return absl::OkStatus();
}

}  // namespace

int Serve(Clock* clock) {
  Detach();
  prctl(PR_SET_NAME, "troika-relay");
  const absl::Status served = ServeTask(clock);
  if (served.ok()) return 0;
  ReportToStarter(served.message());
  return 1;
}

}  // namespace troika::relay
