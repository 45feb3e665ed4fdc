// How a log is written: docs/log.md.
//
//   troika-log 1 TASK CHECKSUM
//   NUMBER MICROS STREAM[+|~][:KEY] CHECKSUM PAYLOAD
//
// A checksum is 16 hex digits: XXH3 of the payload xor XXH3 of what stands
// before the checksum, so that no byte of a line can change unseen.
#ifndef TROIKA_RELAY_LOG_FORMAT_H_
#define TROIKA_RELAY_LOG_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "relay/record.h"

namespace troika::relay {

inline constexpr char kLogName[] = "log.v1";

// Longer lines are written as continued records.
inline constexpr size_t kMaxPayload = size_t{1} << 20;
inline constexpr size_t kMaxKey = 64;
// All that stands around a payload is shorter than this.
inline constexpr size_t kMaxRecord = kMaxPayload + 256;

// Letters, digits, '.', '-' and '_'; 1 to kMaxKey of them.
bool IsKey(absl::string_view key);

// Task ids stand in file names: as keys, and no dot first.
bool IsTaskId(absl::string_view id);

absl::string_view StreamName(Stream stream);

// With its end-of-line.
std::string HeaderLine(absl::string_view task_id);

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

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LOG_FORMAT_H_
