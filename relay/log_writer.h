// Appends to a log. Holds its lock: one process writes a log at a time, and a
// free lock means that no process of the task is left.
//
//   ASSIGN_OR_RETURN(LogWriter log, LogWriter::Open(dir_fd, task_id, clock));
//   log.Append({.stream = Stream::kNote, .payload = note});
//   RETURN_IF_ERROR(log.Flush());
#ifndef TROIKA_RELAY_LOG_WRITER_H_
#define TROIKA_RELAY_LOG_WRITER_H_

#include <cstdint>
#include <string>

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
    absl::string_view payload;  // Without a newline; of any length.
  };

  // Opens the log in a task's folder, or begins one, and takes its lock:
  // Unavailable if somebody else has it, FailedPrecondition if a newer Troika
  // began it. A torn last record is ended, and a note says so. `clock` is
  // borrowed.
  static absl::StatusOr<LogWriter> Open(int dir_fd, absl::string_view task_id,
                                        Clock* clock);
  // Goes on with a log that was opened and locked by the one who passed it on.
  static absl::StatusOr<LogWriter> Adopt(UniqueFd locked, Clock* clock);

  // Adds a line to what Flush writes, as continued records where it is long,
  // and returns the first record's number.
  int64_t Append(const Line& line);
  // Whether the log's version has batches.
  bool has_batches() const { return version_ >= kFirstVersionWithBatches; }
  // Adds `count` lines of stdout or stderr as one batch. `lines` holds each
  // with its end-of-line; with a byte more a line, they are at most kMaxPayload
  // bytes. Needs has_batches().
  void AppendBatch(Stream stream, absl::string_view lines, int64_t count);

  // Writes what was appended. Where that fails, what is left is kept and tried
  // again by the next call; ResourceExhausted where the disk is full.
  absl::Status Flush();
  // Makes everything that was flushed survive a loss of power.
  absl::Status Sync();

  // Gives up on what could not be written, except for the rest of a record that
  // is partly written if that is no longer than `max_rest`; a longer one is
  // ended where it stands. Returns the bytes that are lost.
  int64_t DropPending(size_t max_rest);

  int64_t next_number() const { return next_number_; }
  // Where the file ends, as far as we wrote it.
  int64_t offset() const { return offset_; }
  size_t pending() const { return pending_.size() - written_; }
  int fd() const { return fd_.get(); }
  // Lets go of the file, still locked, for another process to adopt.
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
  size_t written_ = 0;  // Of pending_.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_WRITER_H_
