#include "testing/fake/signals.h"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

namespace troika::fake {
namespace {

volatile sig_atomic_t exit_codes[NSIG];
volatile sig_atomic_t noted[NSIG];

void OnExit(int signal) { _exit(exit_codes[signal]); }
void OnNoted(int signal) { noted[signal] = 1; }

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);  // No SA_RESTART: it must end waits.
}

bool AnyNoted() {
  for (const volatile sig_atomic_t& one : noted) {
    if (one) return true;
  }
  return false;
}

}  // namespace

void ExitOn(int signal, int code) {
  exit_codes[signal] = code;
  Handle(signal, OnExit);
}

void NoteOn(int signal) { Handle(signal, OnNoted); }

void IgnoreSignal(int signal) { Handle(signal, SIG_IGN); }

void ResetSignal(int signal) { Handle(signal, SIG_DFL); }

std::optional<int> TakeSignal() {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (noted[signal]) {
      noted[signal] = 0;
      return signal;
    }
  }
  return std::nullopt;
}

Woken WaitFor(Watch watch, absl::Duration time) {
  // Signals are blocked until ppoll, so that none comes between check and wait.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  Woken woken = Woken::kSignal;
  if (!AnyNoted()) {
    pollfd stdin_poll = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const timespec wait = absl::ToTimespec(time);
    const int ready =
        ppoll(&stdin_poll, watch == Watch::kStdin ? 1 : 0,
              time == absl::InfiniteDuration() ? nullptr : &wait, &before);
    woken = ready > 0    ? Woken::kStdin
            : ready == 0 ? Woken::kTime
                         : Woken::kSignal;
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return woken;
}

void KillSelf(int signal) {
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  ResetSignal(signal);
  kill(getpid(), signal);
}

}  // namespace troika::fake
