#include "relay/lease.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "relay/line_recorder.h"

namespace troika::relay {
namespace {

// A clock that stands at the time of records that are written again.
class StoppedClock : public Clock {
 public:
  explicit StoppedClock(int64_t micros) : now_(absl::FromUnixMicros(micros)) {}
  absl::Time Now() override { return now_; }

 private:
  const absl::Time now_;
};

// Returns what is in a pipe.
std::string ReadAll(int pipe) {
  std::string all;
  char bytes[kLeaseBytes];
  while (true) {
    const ssize_t n = read(pipe, bytes, sizeof(bytes));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return all;
    all.append(bytes, static_cast<size_t>(n));
  }
}

int BytesIn(int pipe) {
  int bytes = 0;
  return ioctl(pipe, FIONREAD, &bytes) == 0 ? bytes : 0;
}

}  // namespace

absl::StatusOr<Lease> Lease::Create(int64_t max_log_bytes, int agent_stdout,
                                    LogWriter* log, Clock* clock) {
  UniqueFd file;
  ASSIGN_OR_RETURN(LeaseMapping page, LeaseMapping::Create(&file));
  Lease lease(std::move(page), std::move(file), agent_stdout, log, clock);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, "make the pipe of a lease");
  }
  lease.staging_out_ = UniqueFd(ends[0]);
  lease.staging_in_ = UniqueFd(ends[1]);
  // The pages of pipes are counted for each user.
  fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(kLeaseBytes));
  // The file that we write, whatever its name is by now, and without our lock.
  const std::string path = absl::StrCat("/proc/self/fd/", log->fd());
  lease.log_file_ =
      UniqueFd(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!lease.log_file_.ok()) {
    return absl::ErrnoToStatus(errno, "open the log for a lease");
  }
  lease.page_->max_log_bytes = max_log_bytes;
  lease.page_->log_version = static_cast<uint32_t>(log->version());
  pthread_mutex_lock(&lease.page_->mutex);
  return lease;
}

Lease::~Lease() {
  if (!page_.ok()) return;
  Renew();
  // A locked mutex must not be unmapped.
  pthread_mutex_unlock(&page_->mutex);
}

bool Lease::Release(bool may_lend) {
  // The driver gets no edge for output that is there already.
  const bool lends = may_lend && page_->wanted != 0 && BytesIn(stdout_) == 0;
  const StdoutReader before = page_->reader.exchange(
      lends ? StdoutReader::kDriver : StdoutReader::kRelay);
  page_->log_offset = log_->offset();
  page_->next_number = log_->next_number();
  page_->clock_offset = absl::ToUnixMicros(clock_->Now()) - MonotonicMicros();
  driver_reads_ = lends;
  pthread_mutex_unlock(&page_->mutex);
  return lends && before == StdoutReader::kRelay;
}

bool Lease::DriverReads() {
  const bool missed = page_->missed.exchange(0) != 0;
  return driver_reads_ && !missed;
}

std::string Lease::Acquire() {
  if (pthread_mutex_lock(&page_->mutex) == EOWNERDEAD) {
    pthread_mutex_consistent(&page_->mutex);
  }
  // While records wait for room on the disk, nothing is lent.
  if (log_->pending() == 0) {
    log_->Continue(page_->log_offset, page_->next_number);
  }
  std::string staged = ReadAll(staging_out_.get());
  const int64_t in_buffer = page_->taken - static_cast<int64_t>(staged.size());
  if (in_buffer > 0 && in_buffer <= static_cast<int64_t>(kLeaseBytes) &&
      (!staged.empty() || !CompleteWrite())) {
    staged.insert(0, page_->buffer, static_cast<size_t>(in_buffer));
  }
  page_->taken = 0;
  page_->write_offset = -1;
  return staged;
}

bool Lease::CompleteWrite() {
  if (page_->write_offset < 0) return false;
  StoppedClock clock(page_->write_micros);
  log_->Continue(page_->write_offset, page_->write_number);
  Clock* const own_clock = log_->set_clock(&clock);
  LineRecorder(Stream::kStdout, log_)
      .Feed({page_->buffer, static_cast<size_t>(page_->taken)});
  log_->set_clock(own_clock);
  return log_->SkipWritten();
}

void Lease::CheckDriver() {
  const bool idle = page_->reads == std::exchange(checked_reads_, page_->reads);
  if (page_->reader != StdoutReader::kDriver || !idle) return;
  if (BytesIn(stdout_) > 0) End();
}

void Lease::End() {
  page_->wanted = 0;
  page_->reader = StdoutReader::kRelay;
}

}  // namespace troika::relay
