#include "cli/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace troika::cli {
namespace {

// Whether to try again after `error`. Another program may have made a terminal
// or pipe that we share with it non-blocking.
bool CanRetry(int error, int fd, short events) {
  if (error == EINTR) return true;
  if (error != EAGAIN) return false;
  pollfd wait = {.fd = fd, .events = events, .revents = 0};
  return poll(&wait, 1, -1) >= 0 || errno == EINTR;
}

// The terminal as it was when the program began. Read by a handler of signals.
struct TerminalModes {
  int fd = -1;  // -1 if there is no terminal.
  termios modes;
};
TerminalModes first_modes;
volatile sig_atomic_t signals_live = 0;

TerminalModes CurrentModes() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    TerminalModes found = {.fd = fd, .modes = {}};
    if (tcgetattr(fd, &found.modes) == 0) return found;
  }
  return {};
}

void OnBlockedForASecond(int) {
  const int error = errno;
  sigset_t waiting;
  sigpending(&waiting);
  for (const int signal : {SIGTERM, SIGHUP}) {
    if (sigismember(&waiting, signal) != 1) continue;
    if (first_modes.fd >= 0) {
      tcsetattr(first_modes.fd, TCSANOW, &first_modes.modes);
    }
    _exit(kExitSignal + signal);
  }
  alarm(1);
  errno = error;
}

}  // namespace

absl::StatusOr<size_t> ReadSome(int fd, absl::Span<char> buffer) {
  while (true) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n >= 0) return static_cast<size_t>(n);
    if (!CanRetry(errno, fd, POLLIN)) return absl::ErrnoToStatus(errno, "read");
  }
}

absl::Status WriteAll(int fd, absl::string_view bytes) {
  const BlockingWrite blocking;
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(n);
    } else if (errno == EPIPE) {
      return absl::CancelledError("the reader is gone");
    } else if (!CanRetry(errno, fd, POLLOUT)) {
      return absl::ErrnoToStatus(errno, "write");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int> OpenToRead(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("read ", path));
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    close(fd);
    return absl::ErrnoToStatus(EISDIR, absl::StrCat("read ", path));
  }
  return fd;
}

absl::StatusOr<std::string> ReadToEnd(int fd, absl::string_view name,
                                      size_t max_bytes) {
  std::string bytes;
  char chunk[4096];
  while (true) {
    const absl::StatusOr<size_t> n = ReadSome(fd, absl::MakeSpan(chunk));
    if (!n.ok()) {
      return absl::Status(n.status().code(),
                          absl::StrCat(name, ": ", n.status().message()));
    }
    if (*n == 0) return bytes;
    bytes.append(chunk, *n);
    if (bytes.size() > max_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("read ", name, ": over ", max_bytes, " bytes"));
    }
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     size_t max_bytes) {
  const absl::StatusOr<int> fd = OpenToRead(path);
  if (!fd.ok()) return fd.status();
  const absl::Cleanup close_it = [&] { close(*fd); };
  return ReadToEnd(*fd, path, max_bytes);
}

int Print(const Io& io, absl::string_view text) {
  const absl::Status written = WriteAll(io.out, text);
  if (written.ok() || absl::IsCancelled(written)) return kExitOk;
  return Fail(io, written.message());
}

void Note(const Io& io, absl::string_view text) {
  // If stderr can't be written, the error can't be reported anywhere.
  WriteAll(io.err, absl::StrCat("troika: ", text, "\n")).IgnoreError();
}

int Fail(const Io& io, absl::string_view message) {
  Note(io, message);
  return kExitFailure;
}

void RememberTerminal() { first_modes = CurrentModes(); }

bool Wait(std::vector<pollfd>* fds, absl::Time wake_at, Clock& clock) {
  // A signal may end it early: the caller checks in any case.
  return poll(fds->data(), fds->size(), PollTimeout(wake_at - clock.Awake())) >
         0;
}

Signals::Signals(absl::Span<const int> others) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  for (const int signal : others) sigaddset(&set, signal);
  fd_ = UniqueFd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  sigset_t nothing;
  sigemptyset(&nothing);
  // Without the descriptor, signals keep their default action.
  sigprocmask(SIG_BLOCK, fd_.ok() ? &set : &nothing, &before_);
  struct sigaction action = {};
  action.sa_handler = OnBlockedForASecond;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, &alarm_before_);
  signals_live = 1;
}

Signals::~Signals() {
  signals_live = 0;
  sigaction(SIGALRM, &alarm_before_, nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::vector<int> Signals::Take() {
  std::vector<int> signals;
  signalfd_siginfo info;
  while (read(fd_.get(), &info, sizeof(info)) == sizeof(info)) {
    signals.push_back(static_cast<int>(info.ssi_signo));
  }
  return signals;
}

BlockingWrite::BlockingWrite() {
  if (signals_live) alarm(1);
}

BlockingWrite::~BlockingWrite() {
  if (signals_live) alarm(0);
}

}  // namespace troika::cli
