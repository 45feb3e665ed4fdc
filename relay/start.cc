#include "relay/start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/blocking.h"
#include "base/find_program.h"
#include "base/status_macros.h"
#include "relay/pass_fds.h"
#include "relay/spawn.h"

namespace troika::relay {
namespace {

constexpr absl::Duration kKillPatience = absl::Seconds(1);

}  // namespace

absl::StatusOr<std::string> FindRelayProgram() {
  const char* const named = getenv("TROIKA_RELAY_BIN");
  return FindProgram("relay", named == nullptr ? "" : named);
}

absl::StatusOr<StartingRelay> StartRelay(const std::string& program,
                                         const RelaySpec& spec, LogWriter log,
                                         int dir_fd) {
  return StartRelayFromBytes(program, Encode(spec), std::move(log), dir_fd);
}

absl::StatusOr<StartingRelay> StartRelayFromBytes(const std::string& program,
                                                  absl::string_view spec_bytes,
                                                  LogWriter log, int dir_fd) {
  AssertMayBlock("start of a relay");
  RETURN_IF_ERROR(log.Flush());
  ASSIGN_OR_RETURN(const UniqueFd spec, SpecFile(spec_bytes));
  ASSIGN_OR_RETURN(const UniqueFd spec_fd, CopyAboveInherited(spec.get()));
  const UniqueFd locked = std::move(log).Release();
  ASSIGN_OR_RETURN(const UniqueFd log_fd, CopyAboveInherited(locked.get()));
  ASSIGN_OR_RETURN(const UniqueFd dir, CopyAboveInherited(dir_fd));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  StartingRelay starting = {.ready = UniqueFd(ends[0])};
  const UniqueFd report(ends[1]);
  ASSIGN_OR_RETURN(const UniqueFd report_fd, CopyAboveInherited(report.get()));
  const int fds[] = {spec_fd.get(), log_fd.get(), dir.get(), report_fd.get()};
  const char* const env[] = {kDetachedVariable, nullptr};
  ASSIGN_OR_RETURN(SpawnedRelay relay, SpawnRelay(program, env, fds));
  starting.process = std::move(relay.process);
  return starting;
}

bool SpareTook(StartingRelay* starting) {
  char said = 0;
  if (recv(starting->spare.get(), &said, 1, MSG_DONTWAIT) != 1 ||
      said != kSpareTakes) {
    return false;
  }
  starting->spare.Reset();
  return true;
}

void EndRelay(const StartingRelay& starting) {
  syscall(SYS_pidfd_send_signal, starting.process.get(), SIGKILL, nullptr, 0);
  WaitUntilReadable(starting.process.get(), kKillPatience);
}

absl::Status RelayStarted(const StartingRelay& starting,
                          absl::Duration patience) {
  std::string said;
  char buffer[512];
  while (said != "ok") {
    if (!WaitUntilReadable(starting.ready.get(), patience)) {
      EndRelay(starting);
      return absl::DeadlineExceededError(
          "the relay did not start in time and was killed; see whether its "
          "program is a troika-relay, and whether the machine is overloaded");
    }
    const ssize_t n = read(starting.ready.get(), buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "read the relay's report");
    if (n == 0) break;
    said.append(buffer, static_cast<size_t>(n));
    patience = kStartPatience;  // For the rest of the report.
  }
  if (said == "ok") return absl::OkStatus();
  if (said.empty()) {
    return absl::UnavailableError("the relay died before it served");
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the relay could not start the agent: ", said));
}

}  // namespace troika::relay
