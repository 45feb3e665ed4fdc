#include "relay/stdin_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace troika::relay {

void StdinQueue::SetPipe(UniqueFd pipe) {
  pipe_ = std::move(pipe);
  if (pipe_.ok()) fcntl(pipe_.get(), F_SETFL, O_WRONLY | O_NONBLOCK);
}

int StdinQueue::poll_fd() const { return size() > 0 ? pipe_.get() : -1; }

void StdinQueue::Close() {
  open_ = false;
  if (size() == 0) pipe_.Reset();
}

size_t StdinQueue::Write() {
  while (size() > 0) {
    const ssize_t n =
        write(pipe_.get(), bytes_.data() + written_, bytes_.size() - written_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return 0;
    if (n < 0) return Drop();
    written_ += static_cast<size_t>(n);
  }
  bytes_.clear();
  bytes_.shrink_to_fit();
  written_ = 0;
  if (!open_) pipe_.Reset();
  return 0;
}

size_t StdinQueue::Drop() {
  const size_t lost = size();
  bytes_.clear();
  written_ = 0;
  open_ = false;
  pipe_.Reset();
  return lost;
}

}  // namespace troika::relay
