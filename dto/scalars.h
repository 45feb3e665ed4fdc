// Numbers, times and JSON values as every text of dto/ has them.
#ifndef TROIKA_DTO_SCALARS_H_
#define TROIKA_DTO_SCALARS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika {

// The shortest text that reads back as the same double; "NaN", "Infinity" and
// "-Infinity" in quotes, as JSON has no numbers for them.
void AppendDouble(double value, std::string* out);

// A JSON value as it is, but on one line.
void AppendJsonOnOneLine(absl::string_view json, std::string* out);

// Times and durations as protobuf has them, within the ranges of its Timestamp
// and Duration. Values outside become the nearest within.
struct SecondsAndNanos {
  int64_t seconds = 0;
  int32_t nanos = 0;
};

// Nanos are never negative.
SecondsAndNanos SplitTime(absl::Time time);
// Both have the same sign.
SecondsAndNanos SplitDuration(absl::Duration duration);

// "1972-01-01T10:00:20.021Z", with no fraction or with 3, 6 or 9 digits of it.
void AppendTime(absl::Time time, std::string* out);
// "1.500s", likewise.
void AppendDuration(absl::Duration duration, std::string* out);

}  // namespace troika

#endif  // TROIKA_DTO_SCALARS_H_
