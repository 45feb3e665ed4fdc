#include "relay/log_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/blocking.h"
#include "base/check.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "relay/log_search.h"

namespace troika::relay {
namespace {

// No header is longer.
constexpr size_t kMaxHeader = 256;

}  // namespace

absl::StatusOr<LogWriter> LogWriter::Open(int dir_fd, absl::string_view task_id,
                                          Clock* clock) {
  CHECK(IsTaskId(task_id));
  ASSIGN_OR_RETURN(UniqueFd fd,
                   OpenLogFile(dir_fd, O_RDWR | O_APPEND | O_CREAT));
  while (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno == EWOULDBLOCK) {
      return absl::UnavailableError(
          absl::StrCat("another process writes the log of task ", task_id));
    }
    return absl::ErrnoToStatus(errno, absl::StrCat("lock ", kLogName));
  }
  // No process of the task lives whose time spans the leap would distort.
  clock->FollowRealTime();
  LogWriter writer(std::move(fd), clock);
  RETURN_IF_ERROR(writer.FindEnd());
  if (writer.offset_ == 0) writer.pending_ = HeaderLine(task_id);
  return writer;
}

absl::StatusOr<LogWriter> LogWriter::Adopt(UniqueFd locked, Clock* clock) {
  LogWriter writer(std::move(locked), clock);
  RETURN_IF_ERROR(writer.FindEnd());
  return writer;
}

LogWriter LogWriter::Share(UniqueFd log, int version, Clock* clock) {
  LogWriter writer(std::move(log), clock);
  writer.version_ = version;
  return writer;
}

void LogWriter::Continue(int64_t offset, int64_t next_number) {
  CHECK(pending() == 0);
  offset_ = offset;
  next_number_ = next_number;
}

bool LogWriter::SkipWritten() {
  std::string written;
  const auto read =
      ReadAt(fd_.get(), offset_, pending_.size() + 1, kLogName, &written);
  if (read.ok() && *read <= pending_.size() &&
      pending_.compare(0, *read, written) == 0) {
    written_ = *read;
    offset_ += static_cast<int64_t>(*read);
    if (pending() == 0) Abandon();
    return true;
  }
  Abandon();
  // An error leaves the end where it was; then writes fail, too.
  FindEnd().IgnoreError();
  return false;
}

void LogWriter::Abandon() {
  pending_.clear();
  written_ = 0;
}

absl::Status LogWriter::ReadVersion() {
  std::string line;
  ASSIGN_OR_RETURN(const size_t read,
                   ReadAt(fd_.get(), 0, kMaxHeader, kLogName, &line));
  if (read == 0) return absl::OkStatus();  // The header is to be written.
  const auto header = ParseHeader(line.substr(0, line.find('\n')));
  // Records of version 1 can be read in every version.
  version_ = header ? header->version : 1;
  if (version_ <= kLogVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the log has version ", version_, ", and this troika writes",
                   " versions up to ", kLogVersion, ": use a newer one"));
}

absl::Status LogWriter::FindEnd() {
  RETURN_IF_ERROR(ReadVersion());
  ASSIGN_OR_RETURN(const LogEnd end, FindLogEnd(fd_.get()));
  offset_ = end.size;
  next_number_ = end.next_number;
  if (end.torn_bytes == 0) return absl::OkStatus();
  if (end.ends_within_line) pending_.assign(1, '\n');
  Append({.payload = absl::StrCat(
              "{\"note\":\"torn\",\"bytes\":", end.torn_bytes, "}")});
  return Flush();
}

int64_t LogWriter::Append(const Line& line) {
  LogRecord record;
  record.micros = absl::ToUnixMicros(clock_->Now());
  record.stream = line.stream;
  record.key = line.key;
  absl::string_view rest = line.payload;
  const int64_t first = next_number_;
  do {
    record.number = next_number_++;
    record.payload = rest.substr(0, kMaxPayload);
    rest.remove_prefix(record.payload.size());
    record.end = rest.empty() ? line.end : LineEnd::kContinued;
    AppendRecord(record, &pending_);
    record.key = {};
  } while (!rest.empty());
  return first;
}

void LogWriter::AppendBatch(Stream stream, absl::string_view lines,
                            int64_t count) {
  CHECK(has_batches());
  relay::AppendBatch({.number = next_number_,
                      .micros = absl::ToUnixMicros(clock_->Now()),
                      .stream = stream,
                      .count = count},
                     lines, &pending_);
  next_number_ += count;
}

absl::Status LogWriter::Flush() {
  while (written_ < pending_.size()) {
    const ssize_t n = write(fd_.get(), pending_.data() + written_,
                            pending_.size() - written_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      // The bytes up to `written_` are in the file already.
      if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
        return absl::ResourceExhaustedError(
            absl::StrCat("write the log: ", strerror(errno)));
      }
      return absl::ErrnoToStatus(errno, "write the log");
    }
    written_ += static_cast<size_t>(n);
    offset_ += n;
  }
  Abandon();
  return absl::OkStatus();
}

absl::Status LogWriter::Sync() {
  AssertMayBlock("fdatasync of a log");
  if (fdatasync(fd_.get()) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "sync the log");
}

int64_t LogWriter::DropPending(size_t max_rest) {
  std::string kept;
  size_t kept_of_pending = 0;
  const bool within_line = written_ > 0 && pending_[written_ - 1] != '\n';
  // A line that begins with the prefix belongs to the batch before it.
  const auto begins_record = [&](size_t at) {
    return at == pending_.size() || pending_[at] != kBatchLinePrefix;
  };
  if (within_line || (written_ > 0 && !begins_record(written_))) {
    size_t end = within_line ? pending_.find('\n', written_) + 1 : written_;
    while (!begins_record(end)) end = pending_.find('\n', end) + 1;
    const size_t rest = end - written_;
    kept_of_pending = rest <= max_rest ? rest : 0;
    kept = pending_.substr(written_, kept_of_pending);
    if (kept.empty() && within_line) kept.push_back('\n');
  }
  const size_t lost = pending() - kept_of_pending;
  pending_ = std::move(kept);
  written_ = 0;
  return static_cast<int64_t>(lost);
}

}  // namespace troika::relay
