#include "relay/spare.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "base/blocking.h"
#include "base/status_macros.h"
#include "relay/pass_fds.h"
#include "relay/spawn.h"

namespace troika::relay {

absl::StatusOr<SpareRelay> SpareRelay::Start(const std::string& program) {
  AssertMayBlock("start of a spare relay");
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::ErrnoToStatus(errno, "make the socket of a spare relay");
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  ASSIGN_OR_RETURN(const UniqueFd copy, CopyAboveInherited(theirs.get()));
  const char* const env[] = {kDetachedVariable, kSpareVariable, nullptr};
  const int fds[] = {copy.get()};
  ASSIGN_OR_RETURN(UniqueFd process, SpawnRelay(program, env, fds));
  return SpareRelay(std::move(ours), std::move(process));
}

bool SpareRelay::waits() {
  char said = 0;
  if (!waits_ && recv(socket_.get(), &said, 1, MSG_DONTWAIT) == 1) {
    waits_ = said == kSpareWaits;
  }
  return waits_;
}

absl::StatusOr<StartingRelay> SpareRelay::HandOver(const RelaySpec& spec,
                                                   LogWriter& log, int dir_fd) {
  RETURN_IF_ERROR(log.Flush());
  ASSIGN_OR_RETURN(const UniqueFd spec_fd, SpecFile(Encode(spec)));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  StartingRelay starting = {.ready = UniqueFd(ends[0])};
  const UniqueFd report(ends[1]);
  RETURN_IF_ERROR(
      SendFds(socket_.get(), {spec_fd.get(), log.fd(), dir_fd, report.get()}));
  // The relay has the log's lock now.
  const UniqueFd handed = std::move(log).Release();
  starting.process = std::move(process_);
  starting.spare = std::move(socket_);
  return starting;
}

}  // namespace troika::relay
