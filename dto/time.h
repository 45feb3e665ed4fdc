// Times and durations as protobuf has them: seconds and nanoseconds, within the
// ranges of its Timestamp and Duration. What lies outside becomes the nearest.
#ifndef TROIKA_DTO_TIME_H_
#define TROIKA_DTO_TIME_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace troika {

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

#endif  // TROIKA_DTO_TIME_H_
