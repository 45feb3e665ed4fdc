#include "server/stop_signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"

namespace troika {
namespace {

// Written by signal handlers, so lock-free.
std::atomic<bool> stopping{false};
std::atomic<int> wake_fd{-1};
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

void OnStopSignal(int number) {
  const int error = errno;
  if (stopping.exchange(true)) {
    // Takes effect when this handler returns.
    signal(number, SIG_DFL);
    raise(number);
  } else {
    StopSignals::StartDeadline();
    const uint64_t one = 1;
    const int fd = wake_fd.load();
    if (fd >= 0) (void)!write(fd, &one, sizeof(one));
  }
  errno = error;
}

void OnDeadline(int) {
  constexpr absl::string_view kText =
      "troika-server: something still ran 5 s after the stop, and was not "
      "waited for\n";
  (void)!write(STDERR_FILENO, kText.data(), kText.size());
  _exit(0);
}

void Handle(int number, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

bool IsIgnored(int number) {
  struct sigaction action = {};
  return sigaction(number, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals(EventLoop* loop, absl::AnyInvocable<void()> on_stop)
    : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  watch_ = loop->WatchFd(wake_.get(), POLLIN,
                         [this, on_stop = std::move(on_stop)](short) mutable {
                           uint64_t count = 0;
                           (void)!read(wake_.get(), &count, sizeof(count));
                           on_stop();
                         });
  wake_fd = wake_.get();
  Handle(SIGALRM, OnDeadline);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    if (number == SIGHUP && IsIgnored(number)) continue;
    Handle(number, OnStopSignal);
  }
}

StopSignals::~StopSignals() { wake_fd = -1; }

void StopSignals::StartDeadline() {
  alarm(static_cast<unsigned>(absl::ToInt64Seconds(kStopDeadline)));
}

}  // namespace troika
