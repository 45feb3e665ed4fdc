#include "dto/scalars.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"

namespace troika {
namespace {

constexpr int64_t kMinTimeSeconds = -62135596800;      // Year 1.
constexpr int64_t kMaxTimeSeconds = 253402300799;      // The end of year 9999.
constexpr int64_t kMaxDurationSeconds = 315576000000;  // 10 000 years.

void PutDigits(int64_t value, int count, char* to) {
  while (count-- > 0) {
    to[count] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

void AppendFraction(int32_t nanos, std::string* out) {
  if (nanos == 0) return;
  int digits = 9;
  while (digits > 3 && nanos % 1000 == 0) {
    nanos /= 1000;
    digits -= 3;
  }
  char text[10] = {'.'};
  PutDigits(nanos, digits, text + 1);
  out->append(text, digits + 1);
}

}  // namespace

void AppendDouble(double value, std::string* out) {
  if (std::isnan(value)) {
    out->append("\"NaN\"");
  } else if (std::isinf(value)) {
    out->append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof(text), value);
    out->append(text, end.ptr - text);
  }
}

void AppendJsonOnOneLine(absl::string_view json, std::string* out) {
  const size_t begin = out->size();
  out->append(json.data(), json.size());
  if (!absl::StrContains(json, '\n') && !absl::StrContains(json, '\r')) return;
  // Strings have their line ends escaped: a bare one is only layout.
  std::replace_if(
      out->begin() + begin, out->end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

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
  char text[] = "yyyy-mm-ddThh:mm:ss";
  PutDigits(c.year(), 4, text);
  PutDigits(c.month(), 2, text + 5);
  PutDigits(c.day(), 2, text + 8);
  PutDigits(c.hour(), 2, text + 11);
  PutDigits(c.minute(), 2, text + 14);
  PutDigits(c.second(), 2, text + 17);
  out->append(text, sizeof(text) - 1);
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
