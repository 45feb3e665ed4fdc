#include "server/server_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/unix_socket.h"
#include "task/home.h"

namespace troika {
namespace {

constexpr char kName[] = "/server.lock";
constexpr absl::string_view kAutomatic = "automatic";
constexpr absl::string_view kServe = "serve";
// Longer than a server takes to stop.
constexpr absl::Duration kPatience = absl::Seconds(15);
// A server that somebody asked for is quicker to take a lock that is let go.
constexpr absl::Duration kServePoll = absl::Milliseconds(5);
constexpr absl::Duration kAutomaticPoll = absl::Milliseconds(50);

// The process that listens on the socket of the state folder; 0 if the kernel
// does not tell which.
std::optional<pid_t> Listener(int home_fd) {
  const auto socket = ConnectUnix(home_fd, kServerSocket);
  if (!socket.ok()) {
    // The server's queue is full.
    if (absl::IsUnavailable(socket.status())) return 0;
    return std::nullopt;
  }
  ucred peer = {};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket->get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return 0;
  }
  return peer.pid;
}

// Whether the process has ended. What it was about to start when it was killed
// has its socket and its lock until it runs a program of its own.
bool HasEnded(pid_t pid) {
  return pid != 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

void Terminate(pid_t pid, int home_fd) {
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  // It listened after it was opened, so the number is still its own.
  if (!process.ok() || Listener(home_fd) != pid) return;
  syscall(SYS_pidfd_send_signal, process.get(), SIGTERM, nullptr, 0);
}

absl::Status Taken(const std::string& home, const ServerLock::Holder& holder) {
  std::string who = "another server";
  if (holder.pid != 0) absl::StrAppend(&who, " (pid ", holder.pid, ")");
  if (!holder.url.empty()) absl::StrAppend(&who, " at ", holder.url);
  return absl::AlreadyExistsError(absl::StrCat(
      who, " serves ", home, ": use that one, or stop it first",
      holder.pid != 0 ? absl::StrCat(" by kill ", holder.pid) : ""));
}

absl::Status Stuck(const std::string& home, const ServerLock::Holder& holder) {
  return absl::UnavailableError(absl::StrCat(
      "a server of ", home,
      holder.pid != 0 ? absl::StrCat(" (pid ", holder.pid, ")") : "",
      " has neither listened nor stopped for ", absl::FormatDuration(kPatience),
      ": see what it does, or end it",
      holder.pid != 0 ? absl::StrCat(" by kill -KILL ", holder.pid) : ""));
}

}  // namespace

absl::StatusOr<std::optional<ServerLock>> ServerLock::TryTake(
    const std::string& home, Origin origin) {
  const std::string path = home + kName;
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
  if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;
    return absl::ErrnoToStatus(errno, absl::StrCat("lock ", path));
  }
  ServerLock lock(std::move(fd), origin);
  lock.SetUrl("");
  return lock;
}

ServerLock::Holder ServerLock::ReadHolder(const std::string& home) {
  Holder holder;
  const UniqueFd fd(open((home + kName).c_str(), O_RDONLY | O_CLOEXEC));
  char bytes[512];
  const ssize_t n = fd.ok() ? read(fd.get(), bytes, sizeof(bytes)) : 0;
  absl::string_view text = absl::StripAsciiWhitespace(
      absl::string_view(bytes, n > 0 ? static_cast<size_t>(n) : 0));
  // "pid 123, automatic, http://127.0.0.1:4747", or without a URL.
  const std::vector<absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(", ", 2));
  absl::string_view pid = parts[0];
  if (parts.size() < 2 || !absl::ConsumePrefix(&pid, "pid ") ||
      !absl::SimpleAtoi(pid, &holder.pid)) {
    return {};
  }
  if (parts[1] == kAutomatic) holder.origin = Origin::kAutomatic;
  if (parts.size() == 3) holder.url = std::string(parts[2]);
  return holder;
}

void ServerLock::SetUrl(absl::string_view url) {
  const absl::string_view origin =
      origin_ == Origin::kAutomatic ? kAutomatic : kServe;
  const std::string text = absl::StrCat("pid ", getpid(), ", ", origin,
                                        url.empty() ? "" : ", ", url, "\n");
  // In this order, so that a full disk has room for it from the last time.
  (void)!pwrite(fd_.get(), text.data(), text.size(), 0);
  (void)!ftruncate(fd_.get(), static_cast<off_t>(text.size()));
}

absl::StatusOr<ServerLock> TakeServerLock(const std::string& home, int home_fd,
                                          ServerLock::Origin origin) {
  const absl::Time deadline = absl::Now() + kPatience;
  pid_t told = 0;
  while (true) {
    ASSIGN_OR_RETURN(std::optional<ServerLock> lock,
                     ServerLock::TryTake(home, origin));
    if (lock) return *std::move(lock);
    const std::optional<pid_t> listener = Listener(home_fd);
    ServerLock::Holder holder = ServerLock::ReadHolder(home);
    if (listener && !HasEnded(*listener)) {
      // The file may be of a server before this one.
      if (holder.pid != *listener) holder = {.pid = *listener};
      const bool may_go = origin == ServerLock::Origin::kServe &&
                          holder.origin == ServerLock::Origin::kAutomatic &&
                          holder.pid != 0;
      if (!may_go) return Taken(home, holder);
      // Once: a second signal would kill it within its stop.
      if (std::exchange(told, *listener) != *listener) {
        Terminate(*listener, home_fd);
      }
    }
    if (absl::Now() >= deadline) return Stuck(home, holder);
    absl::SleepFor(origin == ServerLock::Origin::kServe ? kServePoll
                                                        : kAutomaticPoll);
  }
}

}  // namespace troika
