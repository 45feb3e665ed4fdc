#include "dto/scalars.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/match.h"

namespace troika {
namespace {

template <typename T>
void AppendChars(T value, std::string* out) {
  char text[32];
  const std::to_chars_result r =
      std::to_chars(text, text + sizeof(text), value);
  out->append(text, r.ptr - text);
}

}  // namespace

void AppendInt(int64_t value, std::string* out) { AppendChars(value, out); }

void AppendDouble(double value, std::string* out) {
  if (std::isnan(value)) {
    out->append("\"NaN\"");
  } else if (std::isinf(value)) {
    out->append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  } else {
    AppendChars(value, out);
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

}  // namespace troika
