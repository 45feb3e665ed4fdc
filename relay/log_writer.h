// Appends to a log and holds its lock: one process writes a log at a time, and
// a free lock means that no process of the task is left.
//
//   ASSIGN_OR_RETURN(LogWriter log, LogWriter::Open(dir_fd, task_id, clock));
//   log.Append({.stream = Stream::kNote, .payload = note});
//   RETURN_IF_ERROR(log.Flush());
#ifndef TROIKA_RELAY_LOG_WRITER_H_
#define TROIKA_RELAY_LOG_WRITER_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/log_format.h"
#include "relay/record.h"

namespace troika::relay {

class LogWriter {
 public:
  struct Line {
    Stream stream = Stream::kNote;
    LineEnd end = LineEnd::kNewline;
    absl::string_view key;
    absl::string_view payload;  // Any length, without a newline.
  };

  // Opens the log in a task's folder, or creates one, and takes its lock. Ends
  // a torn last record and appends a note that says so. Returns Unavailable if
  // another process has the lock, FailedPrecondition if a newer Troika began
  // the log, DataLoss as OpenLogFile() does. `clock` is borrowed.
  static absl::StatusOr<LogWriter> Open(int dir_fd, absl::string_view task_id,
                                        Clock* clock);
  // Continues a log that another process opened, locked and passed on.
  static absl::StatusOr<LogWriter> Adopt(UniqueFd locked, Clock* clock);

  // Writes to a log while the process that has its lock lets us.
  static LogWriter Share(UniqueFd log, int version, Clock* clock);

  // Goes on behind what another process has written. Nothing must be pending.
  void Continue(int64_t offset, int64_t next_number);
  // Returns the clock that was used before.
  Clock* set_clock(Clock* clock) { return std::exchange(clock_, clock); }
  // Takes what the file has behind offset() as the start of the appended
  // records, so that Flush() writes the rest. If it is not, drops them, goes on
  // at the end of the file, and returns false.
  bool SkipWritten();
  // Forgets the appended records, also one that is partly written: the process
  // that has the lock completes it.
  void Abandon();

  // Adds a line to those that Flush() writes, as continued records if it is
  // long. Returns the number of the first record.
  int64_t Append(const Line& line);
  int version() const { return version_; }
  // Whether the log's version has batches.
  bool has_batches() const { return version_ >= kFirstVersionWithBatches; }
  // Adds `count` lines of stdout or stderr as one batch. `lines` holds each
  // with its end-of-line; its size plus `count` is at most kMaxPayload. Needs
  // has_batches().
  void AppendBatch(Stream stream, absl::string_view lines, int64_t count);

  // Writes the appended records. If that fails, the rest is kept for the next
  // call. Returns ResourceExhausted if the disk is full.
  absl::Status Flush();
  // Makes all flushed records survive a loss of power.
  absl::Status Sync();

  // Drops the records that could not be written, except for the rest of a
  // partly written record if that is no longer than `max_rest`; a longer one is
  // ended at its current length. Returns the number of lost bytes.
  int64_t DropPending(size_t max_rest);

  int64_t next_number() const { return next_number_; }
  // End of the part of the file that we have written.
  int64_t offset() const { return offset_; }
  size_t pending() const { return pending_.size() - written_; }
  int fd() const { return fd_.get(); }
  // Gives up the file, still locked, so that another process can adopt it.
  UniqueFd Release() && { return std::move(fd_); }

 private:
  LogWriter(UniqueFd fd, Clock* clock) : fd_(std::move(fd)), clock_(clock) {}

  // Finds the log's version and its end, and ends a torn record.
  absl::Status FindEnd();
  absl::Status ReadVersion();

  UniqueFd fd_;
  Clock* clock_;
  int version_ = kLogVersion;
  int64_t next_number_ = 1;
  int64_t offset_ = 0;
  std::string pending_;
  size_t written_ = 0;  // Number of bytes of pending_ that are in the file.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_WRITER_H_
