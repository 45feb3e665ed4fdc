#include "task/line_joiner.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace troika {

std::optional<Record> LineJoiner::Add(const relay::LogRecord& log_record) {
  const absl::Time time = absl::FromUnixMicros(log_record.micros);
  const bool goes_on = log_record.end == relay::LineEnd::kContinued;
  if (!open_ && !goes_on) {
    return Record{.number = log_record.number,
                  .time = time,
                  .bytes = log_record.payload,
                  .offset = log_record.offset,
                  .size = static_cast<int64_t>(log_record.payload.size()),
                  .key = log_record.key};
  }
  Append(log_record);
  if (goes_on) return std::nullopt;
  return Take(log_record.number, time);
}

std::optional<Record> LineJoiner::Abandon(int64_t number,
                                          std::optional<absl::Time> time) {
  if (!open_) return std::nullopt;
  return Take(number, time);
}

void LineJoiner::Append(const relay::LogRecord& log_record) {
  if (!open_) {
    open_ = true;
    start_ = std::string();  // Gives back what a long line took.
    key_.clear();
    offset_ = log_record.offset;
    size_ = 0;
  }
  if (key_.empty()) key_ = std::string(log_record.key);
  const size_t room = static_cast<size_t>(kMaxLineBytes) - start_.size();
  absl::StrAppend(&start_, log_record.payload.substr(0, room));
  size_ += static_cast<int64_t>(log_record.payload.size());
}

Record LineJoiner::Take(int64_t number, std::optional<absl::Time> time) {
  open_ = false;
  return {.number = number,
          .time = time,
          .bytes = start_,
          .offset = offset_,
          .size = size_,
          .key = key_};
}

}  // namespace troika
