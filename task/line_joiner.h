// Joins the records of a line that was too long for one.
#ifndef TROIKA_TASK_LINE_JOINER_H_
#define TROIKA_TASK_LINE_JOINER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "agent/protocol.h"
#include "relay/record.h"

namespace troika {

// For one stream of a log. Of a line over kMaxLineBytes only the start is kept,
// so its memory is bounded.
class LineJoiner {
 public:
  // The line that `log_record` ends, or nothing if it goes on. It has that
  // record's number and time, the place of its first record, and the first key
  // there is; its bytes are borrowed until the next call.
  std::optional<Record> Add(const relay::LogRecord& log_record);
  // The start of a line whose end will not come, as a record of that number.
  std::optional<Record> Abandon(int64_t number, std::optional<absl::Time> time);

 private:
  void Append(const relay::LogRecord& log_record);
  Record Take(int64_t number, std::optional<absl::Time> time);

  bool open_ = false;
  std::string start_;
  std::string key_;
  int64_t offset_ = 0;
  int64_t size_ = 0;
};

}  // namespace troika

#endif  // TROIKA_TASK_LINE_JOINER_H_
