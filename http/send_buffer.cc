#include "http/send_buffer.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace troika::http {
namespace {

iovec IovecOf(const std::string& text, size_t offset) {
  return {const_cast<char*>(text.data()) + offset, text.size() - offset};
}

// Clears the string and frees its memory if that is large, because most
// connections are idle most of the time.
void Clear(std::string* text) {
  if (text->capacity() > 1024) {
    *text = std::string();
  } else {
    text->clear();
  }
}

}  // namespace

SendBuffer::Outcome SendBuffer::Send(int fd) {
  const size_t before = sent_;
  while (sent_ < head_.size() + body_.size()) {
    iovec parts[2];
    msghdr message = {};
    message.msg_iov = parts;
    if (sent_ < head_.size()) {
      parts[message.msg_iovlen++] = IovecOf(head_, sent_);
    }
    if (!body_.empty()) {
      parts[message.msg_iovlen++] =
          IovecOf(body_, sent_ > head_.size() ? sent_ - head_.size() : 0);
    }
    const ssize_t size = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size >= 0) {
      sent_ += static_cast<size_t>(size);
    } else if (errno == EAGAIN) {
      return sent_ > before ? Outcome::kProgress : Outcome::kStalled;
    } else if (errno != EINTR) {
      return Outcome::kFailed;
    }
  }
  Clear(&head_);
  Clear(&body_);
  sent_ = 0;
  return Outcome::kSent;
}

}  // namespace troika::http
