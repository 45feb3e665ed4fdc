// Reads a log, live or ended, from the file. Whatever stands in it, every byte
// is either part of a record or of a damage that is told.
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
  // The record's views are valid during the call.
  virtual void OnRecord(const LogRecord& record) = 0;
  virtual void OnDamage(const Damage& damage) = 0;
};

class LogReader {
 public:
  // NotFound where the folder has no log.
  static absl::StatusOr<LogReader> Open(int dir_fd);
  // Reads from an open file.
  explicit LogReader(UniqueFd fd);

  // Tells what has been written since the last call, up to about `max_bytes` of
  // it, and returns how many bytes that was: 0 where there is nothing new.
  // A line that has no end yet is left for a later call. DataLoss where the
  // file was truncated or removed; FailedPrecondition where a newer Troika
  // wrote it.
  absl::StatusOr<int64_t> Read(
      LogSink& sink, int64_t max_bytes = std::numeric_limits<int64_t>::max());
  // Begins with the record or the batch at `offset`, as FindRecord found it,
  // instead of the header. To be called before the first Read(). What stands
  // before it is not told, neither records nor that they are missing.
  void SkipTo(int64_t offset);
  // Nothing more will come: tells what is damaged at the end, a torn last line
  // included.
  void Finish(LogSink& sink);

  // Of the header; empty where it is damaged or not yet read.
  const std::string& task_id() const { return task_id_; }
  int64_t last_record() const { return last_record_; }
  // How far the file has been read.
  int64_t offset() const { return offset_; }
  int fd() const { return fd_.get(); }

 private:
  absl::Status CheckSize() const;
  // Tells what is whole in the buffer.
  absl::Status OnLines(LogSink& sink);
  // Handles the line, and what belongs to it of `rest`, which follows it in the
  // buffer. Returns how much of `rest` that was, or nullopt if more must be
  // read first: nothing has been done then.
  absl::StatusOr<std::optional<size_t>> OnLine(absl::string_view line,
                                               absl::string_view rest,
                                               int64_t offset, LogSink& sink);
  absl::StatusOr<bool> OnHeader(absl::string_view line, int64_t offset);
  std::optional<size_t> OnBatch(const BatchHead& head, absl::string_view line,
                                absl::string_view rest, int64_t offset,
                                LogSink& sink);
  // Ends the damage before a record that has this number.
  void ReachRecord(int64_t number, int64_t offset, LogSink& sink);
  void AddDamage(absl::string_view bytes, int64_t offset);
  void EndDamage(int64_t next_number, LogSink& sink);

  UniqueFd fd_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // Of what is in the buffer and not yet told.
  size_t end_ = 0;
  int64_t offset_ = 0;      // Of the file, at end_.
  bool in_folder_ = false;  // Where it may be removed from.
  bool header_read_ = false;
  bool skipped_ = false;   // The next record is the first one that is wanted.
  bool skipping_ = false;  // Within a line that is too long for a record.
  std::string task_id_;
  int version_ = 0;  // 0 if the header is damaged.
  int64_t last_record_ = 0;
  std::optional<Damage> damage_;
  // The last number of the damaged batches within damage_, whose heads can be
  // read; 0 if there is none.
  int64_t damaged_number_ = 0;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_READER_H_
