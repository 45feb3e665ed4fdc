#include "base/json_fields.h"

#include "absl/strings/numbers.h"

namespace troika::json {
namespace {

constexpr int64_t kMaxCount = int64_t{1} << 30;

}  // namespace

std::string FieldReader::ReadValue(Value value, std::string& out) {
  if (!value.IsString()) return "a string";
  out = std::string(value.StringOr(""));
  return "";
}

std::string FieldReader::ReadValue(Value value, bool& out) {
  if (!value.Bool()) return "true or false";
  out = *value.Bool();
  return "";
}

std::string FieldReader::ReadValue(Value value, int& out) {
  int64_t number = -1;
  std::string wanted = ReadValue(value, number);
  if (number < 0 || number > kMaxCount) return "a count";
  out = static_cast<int>(number);
  return wanted;
}

std::string FieldReader::ReadValue(Value value, std::optional<int>& out) {
  int64_t number = 0;
  std::string wanted = ReadValue(value, number);
  if (!wanted.empty() || !std::in_range<int>(number)) return "a number";
  out = static_cast<int>(number);
  return "";
}

std::string FieldReader::ReadValue(Value value, int64_t& out) {
  int64_t number = 0;
  if (absl::SimpleAtoi(value.StringOr(""), &number)) {
    out = number;
  } else if (value.Int()) {
    out = *value.Int();
  } else {
    return "a number";
  }
  return "";
}

std::string FieldReader::ReadValue(Value value, double& out) {
  double number = 0;
  // Also reads "NaN" and "Infinity".
  if (absl::SimpleAtod(value.StringOr(""), &number)) {
    out = number;
  } else if (value.Double()) {
    out = *value.Double();
  } else {
    return "a number";
  }
  return "";
}

std::string FieldReader::ReadValue(Value value, absl::Time& out) {
  const bool read =
      absl::ParseTime(absl::RFC3339_full, value.StringOr(""), &out, nullptr);
  return read ? "" : "a time of RFC 3339";
}

std::string FieldReader::ReadValue(Value value, absl::Duration& out) {
  return absl::ParseDuration(value.StringOr(""), &out) ? "" : "a duration";
}

std::string FieldReader::ReadValue(Value value, UnitCount<absl::Duration> out) {
  int64_t count = 0;
  std::string wanted = ReadValue(value, count);
  if (wanted.empty()) out.value = count * out.unit;
  return wanted;
}

std::string FieldReader::ReadValue(
    Value value, UnitCount<std::optional<absl::Duration>> out) {
  int64_t count = 0;
  std::string wanted = ReadValue(value, count);
  if (wanted.empty()) {
    out.value = count > 0 ? count * out.unit : absl::InfiniteDuration();
  }
  return wanted;
}

std::string FieldReader::ReadValue(Value value, std::vector<std::string>& out) {
  bool all = value.IsArray();
  for (const Value item : value.items()) {
    all = all && item.IsString();
    if (item.IsString()) out.emplace_back(item.StringOr(""));
  }
  return all ? "" : "an array of strings";
}

std::string FieldReader::ReadValue(Value value,
                                   std::map<std::string, std::string>& out) {
  bool all = value.IsObject();
  for (const Member& member : value.members()) {
    all = all && member.value.IsString();
    if (member.value.IsString()) {
      out.emplace(member.key, member.value.StringOr(""));
    }
  }
  return all ? "" : "an object of strings";
}

std::string FieldReader::OneOf(absl::Span<const absl::string_view> names) {
  return absl::StrCat(absl::StrJoin(names.subspan(0, names.size() - 1), ", "),
                      " or ", names.back());
}

std::string ToJson(absl::Time value) {
  return ToJson(
      absl::FormatTime(absl::RFC3339_full, value, absl::UTCTimeZone()));
}

std::string ToJson(const std::string& value) {
  std::string quoted;
  AppendQuoted(value, &quoted);
  return quoted;
}

std::string ToJson(const UnitCount<const absl::Duration>& value) {
  return ToJson(value.value / value.unit);
}

std::string ToJson(
    const UnitCount<const std::optional<absl::Duration>>& value) {
  if (*value.value == absl::InfiniteDuration()) return "0";
  return ToJson(*value.value / value.unit);
}

std::string ToJson(const std::map<std::string, std::string>& value) {
  ObjectWriter out;
  for (const auto& [key, text] : value) out.String(key, text);
  return out.Take();
}

}  // namespace troika::json
