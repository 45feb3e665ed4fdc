// One record of a task's log: docs/log.md.
#ifndef TROIKA_RELAY_RECORD_H_
#define TROIKA_RELAY_RECORD_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace troika::relay {

enum class Stream { kStdout, kStderr, kStdin, kNote };

// Whether the stream's line goes on after this record.
enum class LineEnd {
  kNewline,    // The line is whole.
  kContinued,  // The next record of this stream continues it.
  kNone,       // The stream ended, or the write did, without an end-of-line.
};

struct LogRecord {
  int64_t number = 0;  // 1 for the first.
  int64_t micros = 0;  // Since the epoch, by the producer's clock.
  Stream stream = Stream::kNote;
  LineEnd end = LineEnd::kNewline;
  absl::string_view key;      // The command's that caused it; may be empty.
  absl::string_view payload;  // Bytes exactly as they were.
  // Where the record begins in the log, and its size with its end-of-line. The
  // first line of a batch counts the batch's head as its own.
  int64_t offset = 0;
  int64_t size = 0;
  // How many lines of the same batch follow this one; 0 for other records.
  int64_t lines_after = 0;
};

// A place in a log that can't be read as records.
struct Damage {
  int64_t after_record = 0;  // The last good record before it; 0: none.
  int64_t offset = 0;
  int64_t bytes = 0;
  std::string what;     // Why, and how many records are missing there.
  std::string snippet;  // Its first bytes.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_RECORD_H_
