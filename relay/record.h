// A record of a task's log: docs/log.md.
#ifndef TROIKA_RELAY_RECORD_H_
#define TROIKA_RELAY_RECORD_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace troika::relay {

enum class Stream { kStdout, kStderr, kStdin, kNote };

// Whether the stream's line continues after this record.
enum class LineEnd {
  kNewline,    // The line is whole.
  kContinued,  // The next record of this stream continues it.
  kNone,       // The stream or the write ended without an end-of-line.
};

struct LogRecord {
  int64_t number = 0;  // The first record has 1.
  int64_t micros = 0;  // Microseconds since the epoch, by the producer's clock.
  Stream stream = Stream::kNote;
  LineEnd end = LineEnd::kNewline;
  absl::string_view key;  // Key of the command that caused it; may be empty.
  absl::string_view payload;  // The original bytes.
  // Offset in the log, and size with the end-of-line. The first line of a batch
  // includes the batch's head.
  int64_t offset = 0;
  int64_t size = 0;
  // Number of lines of the same batch after this one; 0 for other records.
  int64_t lines_after = 0;
};

// A part of a log that can't be read as records.
struct Damage {
  int64_t after_record = 0;  // Last good record before it, or 0.
  int64_t offset = 0;
  int64_t bytes = 0;
  std::string what;     // Description with the number of missing records.
  std::string snippet;  // First bytes of the damaged part.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_RECORD_H_
