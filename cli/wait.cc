#include "cli/wait.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace troika::cli {

bool Wait(std::vector<pollfd>* fds, absl::Time wake_at, Clock& clock) {
  // A signal may end it early: the caller checks in any case.
  return poll(fds->data(), fds->size(), PollTimeout(wake_at - clock.Awake())) >
         0;
}

Signals::Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  fd_ = UniqueFd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  sigset_t nothing;
  sigemptyset(&nothing);
  // Without the descriptor, signals keep their default action.
  sigprocmask(SIG_BLOCK, fd_.ok() ? &set : &nothing, &before_);
}

Signals::~Signals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

std::vector<int> Signals::Take() {
  std::vector<int> signals;
  signalfd_siginfo info;
  while (read(fd_.get(), &info, sizeof(info)) == sizeof(info)) {
    signals.push_back(static_cast<int>(info.ssi_signo));
  }
  return signals;
}

}  // namespace troika::cli
