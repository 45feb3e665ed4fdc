// Reads the log of a running or an ended task from its file. Every byte belongs
// to a record or to a damage that is reported.
#ifndef TROIKA_RELAY_LOG_READER_H_
#define TROIKA_RELAY_LOG_READER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"
#include "relay/log_format.h"
#include "relay/record.h"

namespace troika::relay {

class LogSink {
 public:
  virtual ~LogSink() = default;
  // The record's views are valid only during the call.
  virtual void OnRecord(const LogRecord& record) = 0;
  virtual void OnDamage(const Damage& damage) = 0;
};

// A damage whose end a reader has not reached.
struct OpenDamage : Damage {
  // Last number of its damaged batches whose heads can be read; 0 if there is
  // none.
  int64_t last_number = 0;
};

class LogReader {
 public:
  // Returns an error as OpenLogFile() does.
  static absl::StatusOr<LogReader> Open(int dir_fd);
  // Reads from an open file.
  explicit LogReader(UniqueFd fd);

  // Reports the records written since the last call, up to about `max_bytes`,
  // and returns the number of bytes read: 0 if there is nothing new. A line
  // that has no end yet is left for a later call. Returns DataLoss if the file
  // was truncated or removed, FailedPrecondition if a newer Troika wrote it.
  absl::StatusOr<int64_t> Read(
      LogSink& sink, int64_t max_bytes = std::numeric_limits<int64_t>::max());
  // Starts with the record or the batch at `offset`, as FindRecord() returned
  // it, instead of the header. Must be called before the first Read(). Nothing
  // before the offset is reported, neither records nor their absence.
  void SkipTo(int64_t offset);
  // Ends the reading: reports damage at the end, a torn last line included.
  void Finish(LogSink& sink);

  // Id in the header; empty if the header is damaged or not read yet.
  const std::string& task_id() const { return task_id_; }
  int64_t last_record() const { return last_record_; }
  // Number of bytes of the file that were read.
  int64_t offset() const { return offset_; }
  int fd() const { return fd_.get(); }

 private:
  absl::Status CheckSize() const;
  // Reports the complete records in the buffer.
  absl::Status OnLines(LogSink& sink);
  // Handles the line and the part of `rest`, the text behind it in the buffer,
  // that belongs to it. Returns the size of that part, or nullopt if more must
  // be read first; then nothing has changed.
  absl::StatusOr<std::optional<size_t>> OnLine(absl::string_view line,
                                               absl::string_view rest,
                                               int64_t offset, LogSink& sink);
  absl::StatusOr<bool> OnHeader(absl::string_view line, int64_t offset);
  std::optional<size_t> OnBatch(const BatchHead& head, absl::string_view line,
                                absl::string_view rest, int64_t offset,
                                LogSink& sink);
  // Ends the damage before the record with this number.
  void ReachRecord(int64_t number, int64_t offset, LogSink& sink);
  void AddDamage(absl::string_view bytes, int64_t offset,
                 int64_t last_number = 0);
  void EndDamage(int64_t next_number, LogSink& sink);

  UniqueFd fd_;
  std::vector<char> buffer_;
  size_t end_ = 0;          // End of the unreported bytes in the buffer.
  int64_t offset_ = 0;      // Offset in the file that corresponds to end_.
  bool in_folder_ = false;  // The file came from a folder, and may be removed.
  bool header_read_ = false;
  bool skipped_ = false;   // The next record is the first one that is wanted.
  bool skipping_ = false;  // Within a line that is too long for a record.
  std::string task_id_;
  int version_ = 0;  // 0 if the header is damaged.
  int64_t last_record_ = 0;
  std::optional<OpenDamage> damage_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_READER_H_
