#include "dto/time.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"

namespace troika {
namespace {

constexpr int64_t kMinTimeSeconds = -62135596800;      // Year 1.
constexpr int64_t kMaxTimeSeconds = 253402300799;      // The end of year 9999.
constexpr int64_t kMaxDurationSeconds = 315576000000;  // 10 000 years.

void AppendFraction(int32_t nanos, std::string* out) {
  if (nanos == 0) return;
  int digits = 9;
  while (digits > 3 && nanos % 1000 == 0) {
    nanos /= 1000;
    digits -= 3;
  }
  char text[10] = {'.'};
  for (int i = digits; i > 0; --i) {
    text[i] = static_cast<char>('0' + nanos % 10);
    nanos /= 10;
  }
  out->append(text, digits + 1);
}

}  // namespace

SecondsAndNanos SplitTime(absl::Time time) {
  time = std::clamp(
      time, absl::FromUnixSeconds(kMinTimeSeconds),
      absl::FromUnixSeconds(kMaxTimeSeconds) + absl::Nanoseconds(999999999));
  const int64_t seconds = absl::ToUnixSeconds(time);
  const absl::Duration rest = time - absl::FromUnixSeconds(seconds);
  return {.seconds = seconds,
          .nanos = static_cast<int32_t>(absl::ToInt64Nanoseconds(rest))};
}

SecondsAndNanos SplitDuration(absl::Duration duration) {
  duration = std::clamp(duration, -absl::Seconds(kMaxDurationSeconds),
                        absl::Seconds(kMaxDurationSeconds));
  absl::Duration rest;
  const int64_t seconds = absl::IDivDuration(duration, absl::Seconds(1), &rest);
  return {.seconds = seconds,
          .nanos = static_cast<int32_t>(absl::ToInt64Nanoseconds(rest))};
}

void AppendTime(absl::Time time, std::string* out) {
  const SecondsAndNanos split = SplitTime(time);
  const absl::CivilSecond c = absl::ToCivilSecond(
      absl::FromUnixSeconds(split.seconds), absl::UTCTimeZone());
  const auto two = [](int n) { return absl::Dec(n, absl::kZeroPad2); };
  absl::StrAppend(out, absl::Dec(c.year(), absl::kZeroPad4), "-",
                  two(c.month()), "-", two(c.day()));
  absl::StrAppend(out, "T", two(c.hour()), ":", two(c.minute()));
  absl::StrAppend(out, ":", two(c.second()));
  AppendFraction(split.nanos, out);
  out->push_back('Z');
}

void AppendDuration(absl::Duration duration, std::string* out) {
  const SecondsAndNanos split = SplitDuration(duration);
  if (split.seconds < 0 || split.nanos < 0) out->push_back('-');
  absl::StrAppend(out, std::abs(split.seconds));
  AppendFraction(std::abs(split.nanos), out);
  out->push_back('s');
}

}  // namespace troika
