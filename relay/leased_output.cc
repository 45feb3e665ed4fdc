#include "relay/leased_output.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace troika::relay {
namespace {

// In the order of Lease::descriptors().
enum { kStdout, kStagingOut, kStagingIn, kPage, kLog, kCount };

// An agent that prints much has its output returned to the relay, and is calm
// again when this has passed.
constexpr absl::Duration kCalm = absl::Seconds(1);
// So many reads for one wake are a flood.
constexpr int kMaxReads = 4;
// The relay writes a note of a leap of the real time, and we can't.
constexpr int64_t kMaxClockError = 1000000;

absl::Time AwakeNow() {
  const int64_t micros = MonotonicMicros();
  return absl::FromUnixMicros(micros);
}

int64_t RealMicros() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LeasedOutput>> LeasedOutput::Open(
    std::vector<UniqueFd> fds) {
  if (fds.size() < kCount) {
    return absl::FailedPreconditionError("a lease without its descriptors");
  }
  ASSIGN_OR_RETURN(LeaseMapping page, LeaseMapping::Map(fds[kPage].get()));
  const auto is = [&](int which, mode_t type) {
    struct stat facts = {};
    return fstat(fds[static_cast<size_t>(which)].get(), &facts) == 0 &&
           (facts.st_mode & S_IFMT) == type;
  };
  if (!is(kStdout, S_IFIFO) || !is(kStagingOut, S_IFIFO) ||
      !is(kStagingIn, S_IFIFO) || !is(kLog, S_IFREG) ||
      (fcntl(fds[kLog].get(), F_GETFL) & O_APPEND) == 0) {
    return absl::FailedPreconditionError("a lease of something else");
  }
  // A file description of our own, so that it is watched no longer when we
  // close it, although the relay has it open.
  const std::string path = absl::StrCat("/proc/self/fd/", fds[kStdout].get());
  fds[kStdout] =
      UniqueFd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fds[kStdout].ok()) return absl::ErrnoToStatus(errno, "open a lease");
  return std::unique_ptr<LeasedOutput>(
      new LeasedOutput(std::move(page), std::move(fds)));
}

LeasedOutput::LeasedOutput(LeaseMapping page, std::vector<UniqueFd> fds)
    : page_(std::move(page)),
      stdout_(std::move(fds[kStdout])),
      staging_in_(std::move(fds[kStagingIn])),
      staging_out_(std::move(fds[kStagingOut])),
      epoch_(page_->epoch),
      log_(LogWriter::Share(std::move(fds[kLog]),
                            static_cast<int>(page_->log_version), &clock_)) {
  page_->wanted = 1;
}

bool LeasedOutput::TryLock() {
  if (lost_) return false;
  const int locked = pthread_mutex_trylock(&page_->mutex);
  if (locked == EBUSY) return false;
  if (locked == EOWNERDEAD) pthread_mutex_consistent(&page_->mutex);
  if (locked == 0 && page_->epoch == epoch_) return true;
  lost_ = true;
  if (locked == 0 || locked == EOWNERDEAD) pthread_mutex_unlock(&page_->mutex);
  return false;
}

LeasedOutput::Outcome LeasedOutput::Record() {
  // If the relay has the mutex, it sees this when it has released it.
  page_->missed = 1;
  Step(0);
  if (!TryLock()) return Outcome::kNothing;
  page_->missed = 0;
  const Outcome outcome = RecordLocked();
  if (outcome == Outcome::kReturned) ReturnLocked();
  pthread_mutex_unlock(&page_->mutex);
  return outcome;
}

LeasedOutput::Outcome LeasedOutput::Return() {
  // If the relay has the mutex, it sees this before it releases it, or it has
  // lent stdout, and we come here again.
  page_->wanted = 0;
  returned_ = AwakeNow();
  if (!TryLock()) return Outcome::kNothing;
  const bool ours = page_->reader == StdoutReader::kDriver;
  if (ours) ReturnLocked();
  pthread_mutex_unlock(&page_->mutex);
  return ours ? Outcome::kReturned : Outcome::kNothing;
}

absl::Duration LeasedOutput::pause() const {
  if (page_->wanted != 0) return absl::ZeroDuration();
  return std::max(absl::ZeroDuration(), returned_ + kCalm - AwakeNow());
}

void LeasedOutput::ReturnLocked() {
  page_->wanted = 0;
  page_->reader = StdoutReader::kRelay;
  returned_ = AwakeNow();
}

LeasedOutput::Outcome LeasedOutput::RecordLocked() {
  if (page_->reader != StdoutReader::kDriver) {
    if (page_->wanted == 0 && AwakeNow() - returned_ > kCalm) {
      page_->wanted = 1;
    }
    return Outcome::kNothing;
  }
  // Our last write failed, and the relay goes on with it.
  if (page_->taken != 0) return Outcome::kReturned;
  Outcome outcome = Outcome::kNothing;
  for (int i = 0; i < kMaxReads; ++i) {
    const std::optional<size_t> size = Take();
    if (!size) return Outcome::kReturned;
    if (*size == 0) return outcome;
    if (!Write(*size)) return Outcome::kReturned;
    outcome = Outcome::kRecorded;
    const absl::Time now = AwakeNow();
    pacer_.OnRead(*size, now);
    if (pacer_.paused_until(now)) return Outcome::kReturned;
  }
  return Outcome::kReturned;
}

std::optional<size_t> LeasedOutput::Take() {
  const int64_t clock_error =
      RealMicros() - (MonotonicMicros() + page_->clock_offset);
  if (std::abs(clock_error) > kMaxClockError) return std::nullopt;
  Step(1);
  const ssize_t moved = splice(stdout_.get(), nullptr, staging_in_.get(),
                               nullptr, kLeaseBytes, SPLICE_F_NONBLOCK);
  if (moved < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (moved <= 0) return std::nullopt;  // It was closed.
  ++page_->reads;
  const auto size = static_cast<size_t>(moved);
  // What stays in the staging pipe is the relay's.
  if (size == kLeaseBytes) return std::nullopt;
  Step(2);
  page_->taken = moved;
  Step(3);
  for (size_t got = 0; got < size;) {
    const ssize_t n = read(staging_out_.get(), page_->buffer + got, size - got);
    if (n <= 0) return std::nullopt;
    got += static_cast<size_t>(n);
  }
  Step(4);
  // The relay joins the parts of a line.
  if (page_->buffer[size - 1] != '\n') return std::nullopt;
  if (page_->log_offset + moved > page_->max_log_bytes) return std::nullopt;
  return size;
}

bool LeasedOutput::Write(size_t size) {
  page_->write_micros = MonotonicMicros() + page_->clock_offset;
  page_->write_number = page_->next_number;
  Step(5);
  page_->write_offset = page_->log_offset;
  Step(6);
  log_.Continue(page_->log_offset, page_->next_number);
  lines_.Feed({page_->buffer, size});
  if (!log_.Flush().ok()) {
    log_.Abandon();
    return false;
  }
  Step(7);
  page_->log_offset = log_.offset();
  page_->next_number = log_.next_number();
  Step(8);
  page_->taken = 0;
  Step(9);
  page_->write_offset = -1;
  return true;
}

}  // namespace troika::relay
