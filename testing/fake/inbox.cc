#include "testing/fake/inbox.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace troika::fake {

Flow Inbox::Read() {
  if (at_end_) return Flow::kGoOn;
  constexpr size_t kBytes = size_t{1} << 16;
  const size_t size = all_.size();
  all_.resize(size + kBytes);
  const ssize_t got = read(STDIN_FILENO, all_.data() + size, kBytes);
  all_.resize(size + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (got == 0 || (got < 0 && errno != EINTR)) at_end_ = true;
  Flow flow = Flow::kGoOn;
  const auto take = [&](size_t end) {
    std::string line = all_.substr(split_, end - split_);
    split_ = end + 1;
    if (listens() && !line.empty() && ++arrived_ == deaf_) return;
    if (OnLine(std::move(line)) == Flow::kStop) flow = Flow::kStop;
  };
  for (size_t end = all_.find('\n', split_); end != std::string::npos;
       end = all_.find('\n', split_)) {
    take(end);
  }
  if (at_end_ && split_ < all_.size()) take(all_.size());
  return flow;
}

void Inbox::ReadToEnd() {
  if (isatty(STDIN_FILENO)) at_end_ = true;
  while (!at_end_) Read();
}

void Inbox::Close() {
  close(STDIN_FILENO);
  at_end_ = true;
}

std::string Inbox::TakeLine() {
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

Flow Inbox::OnLine(std::string line) {
  Keep(std::move(line));
  return Flow::kGoOn;
}

}  // namespace troika::fake
