// How a log is written: docs/log.md.
//
//   troika-log 2 TASK CHECKSUM
//   NUMBER MICROS STREAM[+|~][:KEY] CHECKSUM PAYLOAD
//   NUMBER MICROS STREAM*COUNT CHECKSUM LINES_CHECKSUM
//    LINE                                      (COUNT times, after a space)
//
// A checksum is 16 hex digits: XXH3 of the payload xor XXH3 of what stands
// before the checksum, so that no byte of a line can change unseen. Version 1
// has no batches, which are the last form.
#ifndef TROIKA_RELAY_LOG_FORMAT_H_
#define TROIKA_RELAY_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "relay/record.h"

namespace troika::relay {

// The same name for all versions: an older Troika finds the log and refuses it.
inline constexpr char kLogName[] = "log.v1";

// The version of new logs. A log is continued in the version it began with.
inline constexpr int kLogVersion = 2;
inline constexpr int kFirstVersionWithBatches = 2;

// Longer lines are written as continued records.
inline constexpr size_t kMaxPayload = size_t{1} << 20;
inline constexpr size_t kMaxKey = 64;
// All that stands around a payload is shorter than this.
inline constexpr size_t kMaxRecord = kMaxPayload + 256;
// Stands before each line of a batch. No record begins with it, so a reader
// finds the next record whatever the lines say.
inline constexpr char kBatchLinePrefix = ' ';

// Letters, digits, '.', '-' and '_'; 1 to kMaxKey of them.
bool IsKey(absl::string_view key);

// Task ids stand in file names: as keys, and no dot first.
bool IsTaskId(absl::string_view id);

absl::string_view StreamName(Stream stream);

// With its end-of-line.
std::string HeaderLine(absl::string_view task_id, int version = kLogVersion);

struct Header {
  int version = 0;
  std::string task_id;
};
// Without its end-of-line. Nothing where it is no header, or damaged.
std::optional<Header> ParseHeader(absl::string_view line);

// Appends a record. `offset` and `size` of it don't matter; a payload has at
// most kMaxPayload bytes and no newline.
void AppendRecord(const LogRecord& record, std::string* out);

// A line without its end-of-line; borrows from it. Sets neither offset nor
// size. Nothing where it is no record, or damaged.
std::optional<LogRecord> ParseRecord(absl::string_view line);

// The first line of a batch: COUNT lines of one stream, read at one time, that
// have the numbers from `number` on. It has a checksum of its own, so `number`
// and `count` hold even if the lines are damaged.
struct BatchHead {
  int64_t number = 0;
  int64_t micros = 0;
  Stream stream = Stream::kStdout;  // kStdout or kStderr.
  int64_t count = 0;
  uint64_t lines_checksum = 0;  // Of the lines as the log holds them.
};

// Appends a batch. `lines` are `head.count` lines, each with its end-of-line,
// and as the log holds them at most kMaxPayload bytes. Ignores
// `head.lines_checksum`.
void AppendBatch(const BatchHead& head, absl::string_view lines,
                 std::string* out);

// Parses a line without its end-of-line. Returns nullopt if it is not the head
// of a batch, or damaged.
std::optional<BatchHead> ParseBatchHead(absl::string_view line);

// The lines that stand behind a batch's head.
struct BatchLines {
  enum class State {
    kWhole,    // All of them are there, and their checksum is right.
    kPartial,  // `text` ends within them.
    kDamaged,  // Something else follows too early, or the checksum is wrong.
  };
  State state = State::kWhole;
  size_t bytes = 0;  // How much of `text` belongs to the batch.
};
// `text` is the log from the end of the head's line on, or a part of it.
BatchLines ScanBatchLines(const BatchHead& head, absl::string_view text);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_FORMAT_H_
