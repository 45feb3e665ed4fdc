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

absl::Status SendFds(int socket, absl::Span<const int> fds) {
  CHECK(fds.size() <= kMaxPassedFds);
  Control control = {};
  char packet = 0;
  iovec data = {.iov_base = &packet, .iov_len = 1};
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
  while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EINTR) continue;
    return absl::UnavailableError(
        absl::StrCat("pass descriptors: ", strerror(errno)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<UniqueFd>> ReceiveFds(int socket, size_t least) {
  Control control = {};
  char packet = 0;
  iovec data = {.iov_base = &packet, .iov_len = 1};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof(control.bytes);
  ssize_t n = 0;
  do {
    n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return absl::UnavailableError("the other process is gone");
  std::vector<UniqueFd> fds;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t passed = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < passed; ++i) {
      int fd = -1;
      memcpy(&fd, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      fds.emplace_back(fd);
    }
  }
  if (fds.size() >= least) return fds;
  return absl::InvalidArgumentError(
      absl::StrCat("a packet with ", fds.size(), " descriptors, not ", least));
}

}  // namespace troika::relay
