#include "relay/spare.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>
#include <vector>

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
  ASSIGN_OR_RETURN(SpawnedRelay relay, SpawnRelay(program, env, fds));
  return SpareRelay(std::move(ours), std::move(relay.process), relay.pid);
}

bool SpareRelay::waits() {
  if (waits_) return true;
  char said[2] = {};
  const ssize_t n = recv(socket_.get(), said, sizeof(said), MSG_DONTWAIT);
  waits_ = n >= 1 && said[0] == kSpareWaits;
  takes_driver_ = n == 2 && said[1] == kSpareTakesDriver;
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
  std::vector<int> fds = {spec_fd.get(), log.fd(), dir_fd, report.get()};
  UniqueFd theirs;
  if (takes_driver_) {
    ASSIGN_OR_RETURN(starting.driver, Client::Pair(pid_, &theirs));
    fds.push_back(theirs.get());
  }
  RETURN_IF_ERROR(SendFds(socket_.get(), fds));
  // The relay has the log's lock now.
  const UniqueFd handed = std::move(log).Release();
  starting.process = std::move(process_);
  starting.spare = std::move(socket_);
  return starting;
}

}  // namespace troika::relay
