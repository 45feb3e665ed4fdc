#include "relay/agent_output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "relay/log_writer.h"

namespace troika::relay {
namespace {

constexpr size_t kReadBytes = size_t{128} << 10;
constexpr size_t kErrTail = 2048;
constexpr absl::Duration kRestDeadline = absl::Seconds(1);

}  // namespace

AgentOutput::AgentOutput(int64_t max_log_bytes, RelayLog* log, Clock* clock)
    : max_log_bytes_(max_log_bytes),
      log_(log),
      clock_(clock),
      out_{UniqueFd(), LineRecorder(Stream::kStdout, &log->writer())},
      err_{UniqueFd(), LineRecorder(Stream::kStderr, &log->writer())} {}

void AgentOutput::Open(UniqueFd out, UniqueFd err) {
  for (const UniqueFd* fd : {&out, &err}) {
    fcntl(fd->get(), F_SETFL, O_RDONLY | O_NONBLOCK);
  }
  out_.fd = std::move(out);
  err_.fd = std::move(err);
  // Not cleared: pages that are never read into take no memory.
  buffer_ = std::make_unique_for_overwrite<char[]>(kReadBytes);
}

void AgentOutput::AddPollFds(absl::Time now, Stdout stdout_is,
                             std::vector<pollfd>* fds) const {
  for (const Output* output : {&out_, &err_}) {
    const bool lent = output == &out_ && stdout_is == Stdout::kDrivers;
    const bool reads =
        !lent && !log_->waits() && !output->pacer.paused_until(now);
    fds->push_back({.fd = reads ? output->fd.get() : -1, .events = POLLIN});
  }
}

void AgentOutput::OnPolled(const pollfd* fds) {
  if (fds[0].revents != 0) Read(out_);
  if (fds[1].revents != 0) Read(err_);
}

bool AgentOutput::CanLend(absl::Time now) const {
  return out_.fd.ok() && !out_.lines.waiting() && !capped_ &&
         !out_.pacer.paused_until(now);
}

absl::Time AgentOutput::deadline(absl::Time now) const {
  constexpr absl::Time kNever = absl::InfiniteFuture();
  return std::min(out_.pacer.paused_until(now).value_or(kNever),
                  err_.pacer.paused_until(now).value_or(kNever));
}

void AgentOutput::Read(Output& output) {
  const ssize_t n = read(output.fd.get(), buffer_.get(), kReadBytes);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    output.fd.Reset();
    if (!capped_) output.lines.Finish();
    return;
  }
  Record(output, {buffer_.get(), static_cast<size_t>(n)});
}

void AgentOutput::Record(Output& output, absl::string_view bytes) {
  last_read_ = clock_->Awake();
  output.pacer.OnRead(bytes.size(), *last_read_);
  if (&output == &err_) {
    err_tail_.append(bytes.data(), bytes.size());
    if (err_tail_.size() > 2 * kErrTail) {
      err_tail_.erase(0, err_tail_.size() - kErrTail);
    }
  }
  const auto size = static_cast<int64_t>(bytes.size());
  if (!capped_ && log_->writer().offset() + size > max_log_bytes_) {
    capped_ = true;
    out_.lines.Finish();
    err_.lines.Finish();
  }
  if (capped_) {
    discarded_ += size;
  } else {
    output.lines.Feed(bytes);
  }
}

void AgentOutput::FlushParts() {
  out_.lines.FlushPart();
  err_.lines.FlushPart();
}

void AgentOutput::ReadRest() {
  for (Output* output : {&out_, &err_}) {
    // Keeps a process that still writes from holding us up.
    const absl::Time deadline = clock_->Awake() + kRestDeadline;
    while (output->fd.ok() && !log_->waits() && clock_->Awake() < deadline) {
      pollfd fd = {.fd = output->fd.get(), .events = POLLIN};
      if (poll(&fd, 1, 0) <= 0) break;
      Read(*output);
      log_->Commit();
    }
  }
}

void AgentOutput::Close() {
  for (Output* output : {&out_, &err_}) {
    if (!output->fd.ok()) continue;
    int left = 0;
    if (ioctl(output->fd.get(), FIONREAD, &left) == 0) discarded_ += left;
    if (!capped_) output->lines.Finish();
    output->fd.Reset();
  }
}

absl::string_view AgentOutput::err_tail() const {
  const absl::string_view tail = err_tail_;
  return tail.substr(tail.size() - std::min(tail.size(), kErrTail));
}

}  // namespace troika::relay
