#include "relay/client.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/unix_socket.h"
#include "relay/pass_fds.h"

namespace troika::relay {

absl::StatusOr<Client> Client::Connect(int dir_fd, Role role) {
  absl::StatusOr<UniqueFd> fd = ConnectUnix(dir_fd, kSocketName);
  if (absl::IsNotFound(fd.status())) {
    return absl::UnavailableError("no relay runs for this task");
  }
  RETURN_IF_ERROR(fd.status());
  ucred peer = {};
  socklen_t size = sizeof(peer);
  if (getsockopt(fd->get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    peer.pid = 0;
  }
  return Client(*std::move(fd), peer.pid, role);
}

absl::StatusOr<Client> Client::Pair(pid_t relay, UniqueFd* relays_end) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0,
                 ends) != 0) {
    return absl::ErrnoToStatus(errno, "make a connection to a relay");
  }
  *relays_end = UniqueFd(ends[1]);
  return Client(UniqueFd(ends[0]), relay, Role::kDriver);
}

Client::Client(UniqueFd fd, pid_t relay, Role role)
    : fd_(std::move(fd)), relay_pid_(relay), out_(Encode(Hello{.role = role})) {
  Write();
}

short Client::events() const {
  return static_cast<short>(out_.empty() ? POLLIN : POLLIN | POLLOUT);
}

void Client::Send(const Command& command) {
  out_ += Encode(command);
  Write();
}

// If a send fails, there may still be frames to read before the end.
void Client::Write() {
  while (!out_.empty()) {
    const ssize_t n =
        send(fd_.get(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) return out_.clear();
    out_.erase(0, static_cast<size_t>(n));
  }
}

absl::StatusOr<Client::News> Client::OnPolled() {
  if (closed_) return absl::UnavailableError("the relay is gone");
  News news;
  Write();
  char chunk[16384];
  while (true) {
    const ssize_t n = ReceiveWithFds(fd_.get(), chunk, sizeof(chunk),
                                     MSG_DONTWAIT, &news.lent);
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) {
      closed_ = true;
      break;
    }
    frames_.Feed({chunk, static_cast<size_t>(n)});
    while (const auto frame = frames_.Next()) {
      RETURN_IF_ERROR(OnFrame(*frame, &news));
    }
    if (!frames_.ok()) {
      return absl::DataLossError("the relay sent bytes that are no frame");
    }
    // There is no more for now. If the relay has closed, the next poll reports
    // it.
    if (static_cast<size_t>(n) < sizeof(chunk)) break;
  }
  return news;
}

absl::Status Client::OnFrame(const Frame& frame, News* news) {
  if (const auto welcome = DecodeWelcome(frame)) {
    if (welcome->version < 1 || welcome->version > kFrameVersion) {
      return absl::FailedPreconditionError(
          absl::StrCat("the relay speaks version ", welcome->version,
                       ", and this troika versions 1 to ", kFrameVersion));
    }
    role_ = welcome->role;
    if (welcome->more) {
      watch_reason_ = welcome->more->watch_reason;
      news->awake = welcome->more->awake;
    }
    news->tip = true;
  } else if (DecodeTip(frame)) {
    news->tip = true;
  } else if (const auto trouble = DecodeTrouble(frame)) {
    news->trouble = std::string(trouble->text);
  } else if (auto reply = DecodeReply(frame)) {
    news->replies.push_back(*std::move(reply));
  }
  // Other frames come from a newer relay and are ignored.
  return absl::OkStatus();
}

}  // namespace troika::relay
