// The format of a log: docs/log.md.
//
//   troika-log 2 TASK CHECKSUM
//   NUMBER MICROS STREAM[+|~][:KEY] CHECKSUM PAYLOAD
//   NUMBER MICROS STREAM*COUNT CHECKSUM LINES_CHECKSUM
//    LINE                                      (COUNT times, after a space)
//
// A checksum is 16 hex digits: XXH3 of the payload xor XXH3 of the text before
// the checksum, so that no byte of a line can change unnoticed. Batches, the
// last two lines, exist since version 2.
#ifndef TROIKA_RELAY_LOG_FORMAT_H_
#define TROIKA_RELAY_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "relay/record.h"

namespace troika::relay {

// The same in all versions: an older Troika finds the log and refuses it.
inline constexpr char kLogName[] = "log.v1";

// The version of new logs. A log keeps the version that it began with.
inline constexpr int kLogVersion = 2;
inline constexpr int kFirstVersionWithBatches = 2;

// Longer lines are split into continued records.
inline constexpr size_t kMaxPayload = size_t{1} << 20;
inline constexpr size_t kMaxKey = 64;
// Leaves room for the text around a payload.
inline constexpr size_t kMaxRecord = kMaxPayload + 256;
// Precedes each line of a batch. No record begins with it, so a reader finds
// the next record whatever the lines contain.
inline constexpr char kBatchLinePrefix = ' ';

// Returns whether `key` is 1 to kMaxKey letters, digits, '.', '-' and '_'.
bool IsKey(absl::string_view key);

// Returns whether `id` is a key without a dot in front. Task ids are used in
// file names.
bool IsTaskId(absl::string_view id);

absl::string_view StreamName(Stream stream);

// Returns the header with its end-of-line.
std::string HeaderLine(absl::string_view task_id, int version = kLogVersion);

struct Header {
  int version = 0;
  std::string task_id;
};
// Parses a line without its end-of-line. Returns nullopt if it is not a header,
// or damaged.
std::optional<Header> ParseHeader(absl::string_view line);

// Appends a record, whose payload has at most kMaxPayload bytes and no newline.
// Ignores its `offset` and `size`.
void AppendRecord(const LogRecord& record, std::string* out);

// Parses a line without its end-of-line, and borrows from it. Sets neither
// offset nor size. Returns nullopt if it is not a record, or damaged.
std::optional<LogRecord> ParseRecord(absl::string_view line);

// The first line of a batch: `count` lines of one stream, read at one time,
// with the numbers from `number` on. It has a checksum of its own, so `number`
// and `count` can be trusted even if the lines are damaged.
struct BatchHead {
  int64_t number = 0;
  int64_t micros = 0;
  Stream stream = Stream::kStdout;  // kStdout or kStderr.
  int64_t count = 0;
  uint64_t lines_checksum = 0;  // Checksum of the lines as in the log.
};

// Appends a batch. `lines` are `head.count` lines, each with its end-of-line,
// and take at most kMaxPayload bytes in the log. Ignores `head.lines_checksum`.
void AppendBatch(const BatchHead& head, absl::string_view lines,
                 std::string* out);

// Parses a line without its end-of-line. Returns nullopt if it is not the head
// of a batch, or damaged.
std::optional<BatchHead> ParseBatchHead(absl::string_view line);

// The lines that follow a batch's head.
struct BatchLines {
  enum class State {
    kWhole,    // All lines are there, and their checksum is right.
    kPartial,  // `text` ends within the lines.
    kDamaged,  // Other text follows too early, or the checksum is wrong.
  };
  State state = State::kWhole;
  size_t bytes = 0;  // Number of bytes of `text` that belong to the batch.
};
// `text` is the log from the end of the head's line on, or a part of that.
BatchLines ScanBatchLines(const BatchHead& head, absl::string_view text);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_FORMAT_H_
