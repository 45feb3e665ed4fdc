#include "relay/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "relay/guard.h"
#include "relay/log_writer.h"
#include "relay/pass_fds.h"
#include "relay/relay.h"
#include "relay/spec_file.h"

namespace troika::relay {
namespace {

// Leaves the terminal, the folder, the signals and the descriptors of the
// starter, except kSpecFd to `last_fd`.
void Detach(int last_fd) {
  setsid();
  for (int signal = 1; signal < SIGRTMIN; ++signal) ::signal(signal, SIG_DFL);
  for (const int ignored : {SIGPIPE, SIGHUP, SIGINT}) signal(ignored, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // A file size limit is handled like a full disk.
  (void)!chdir("/");
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; fd <= 2; ++fd) dup2(null.get(), fd);
  for (int fd = kSpecFd; fd <= last_fd; ++fd) fcntl(fd, F_SETFD, FD_CLOEXEC);
  syscall(SYS_close_range, last_fd + 1, ~0U, 0);
  prctl(PR_SET_NAME, "troika-relay");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void Report(absl::string_view text, UniqueFd* ready) {
  (void)!write(ready->get(), text.data(), text.size());
  ready->Reset();
}

absl::Status ServeTask(RelayTask& task, Clock* clock) {
  RETURN_IF_ERROR(task.guard.status());
  ASSIGN_OR_RETURN(RelaySpec spec, ReadSpec(task.spec.get()));
  ASSIGN_OR_RETURN(LogWriter log, LogWriter::Adopt(std::move(task.log), clock));
  Relay relay(std::move(spec), std::move(log), task.dir.get(),
              *std::move(task.guard), clock);
  RETURN_IF_ERROR(relay.Start(task.spec.get(), std::move(task.driver)));
  task.spec.Reset();
  Report("ok", &task.ready);
  relay.Run();
  return absl::OkStatus();
}

}  // namespace

RelayTask InheritedTask() {
  Detach(kLastInheritedFd);
  return {.spec = UniqueFd(kSpecFd),
          .log = UniqueFd(kLogFd),
          .dir = UniqueFd(kDirFd),
          .ready = UniqueFd(kReadyFd),
          .guard = ForkGuard(GuardStart::kNow)};
}

std::optional<RelayTask> AwaitTask() {
  Detach(kSpareFd);
  const UniqueFd starter(kSpareFd);
  RelayTask task = {.guard = ForkGuard(GuardStart::kSpare)};
  RehearseReadSpec();
  constexpr char kWaits[] = {kSpareWaits, kSpareTakesDriver};
  if (send(starter.get(), kWaits, sizeof(kWaits), MSG_NOSIGNAL) !=
      sizeof(kWaits)) {
    return std::nullopt;
  }
  if (!task.guard.ok()) return std::nullopt;
  // Without its guard it could not start the agent.
  pollfd ends[] = {{.fd = starter.get(), .events = POLLIN},
                   {.fd = task.guard->socket.get(), .events = POLLIN}};
  while (poll(ends, 2, -1) < 0 && errno == EINTR) {
  }
  if (ends[1].revents != 0) return std::nullopt;
  auto fds = ReceiveFds(starter.get(), kLastInheritedFd - kSpecFd + 1);
  if (!fds.ok()) return std::nullopt;
  send(starter.get(), &kSpareTakes, 1, MSG_NOSIGNAL);
  task.spec = std::move((*fds)[0]);
  task.log = std::move((*fds)[1]);
  task.dir = std::move((*fds)[2]);
  task.ready = std::move((*fds)[3]);
  if (fds->size() > 4) task.driver = std::move((*fds)[4]);
  return task;
}

int Serve(RelayTask task, Clock* clock) {
  const absl::Status served = ServeTask(task, clock);
  if (served.ok()) return 0;
  Report(served.message(), &task.ready);
  return 1;
}

}  // namespace troika::relay
