#include "relay/pass_fds.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace troika::relay {
namespace {

// Room for the descriptors of one packet.
union Control {
  cmsghdr align;
  char bytes[CMSG_SPACE(kMaxPassedFds * sizeof(int))];
};

}  // namespace

absl::Status SendFds(int socket, absl::Span<const int> fds,
                     absl::string_view bytes) {
  CHECK(fds.size() <= kMaxPassedFds);
  Control control = {};
  iovec data = {.iov_base = const_cast<char*>(bytes.data()),
                .iov_len = bytes.size()};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  memcpy(CMSG_DATA(head), fds.data(), fds.size() * sizeof(int));
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent == static_cast<ssize_t>(bytes.size())) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "pass descriptors: ", sent < 0 ? strerror(errno) : "there is no room"));
}

ssize_t ReceiveWithFds(int socket, char* buffer, size_t size, int flags,
                       std::vector<UniqueFd>* fds) {
  Control control;
  iovec data = {.iov_base = buffer, .iov_len = size};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof(control.bytes);
  ssize_t n = 0;
  do {
    n = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return n;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t passed = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < passed; ++i) {
      int fd = -1;
      memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      fds->emplace_back(fd);
    }
  }
  return n;
}

absl::StatusOr<std::vector<UniqueFd>> ReceiveFds(int socket, size_t least) {
  char packet = 0;
  std::vector<UniqueFd> fds;
  if (ReceiveWithFds(socket, &packet, 1, 0, &fds) <= 0) {
    return absl::UnavailableError("the other process is gone");
  }
  if (fds.size() >= least) return fds;
  return absl::InvalidArgumentError(
      absl::StrCat("a packet with ", fds.size(), " descriptors, not ", least));
}

}  // namespace troika::relay
