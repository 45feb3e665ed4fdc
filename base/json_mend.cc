#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "base/json_text.h"

namespace troika::json {
namespace {

// Returns the code unit of a \uXXXX escape at the start of `text`.
std::optional<uint16_t> UnicodeEscape(absl::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return std::nullopt;
  uint16_t unit;
  const char* const digits = text.data() + 2;
  const std::from_chars_result r =
      std::from_chars(digits, digits + 4, unit, 16);
  if (r.ec != std::errc() || r.ptr != digits + 4) return std::nullopt;
  return unit;
}

bool IsHighSurrogate(uint16_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool IsLowSurrogate(uint16_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

bool IsNumberCharacter(char c) {
  return absl::ascii_isdigit(c) || c == '-' || c == '+' || c == '.' ||
         c == 'e' || c == 'E';
}

class Mender {
 public:
  explicit Mender(absl::string_view text) : text_(text) {}

  bool Run(std::string* out) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        String();
      } else if (c == '-' || absl::ascii_isdigit(c)) {
        Number();
      } else {
        Copy(1);
      }
    }
    if (!mended_) return false;
    *out = std::move(out_);
    return true;
  }

 private:
  // Copies `n` bytes, or fewer if the text ends first: an escape may be cut
  // off.
  void Copy(size_t n) {
    n = std::min(n, text_.size() - at_);
    absl::StrAppend(&out_, text_.substr(at_, n));
    at_ += n;
  }

  void String() {
    Copy(1);
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        const size_t stop = text_.find_first_of("\"\\", at_);
        Copy(stop == absl::string_view::npos ? text_.size() - at_ : stop - at_);
      } else {
        Escape();
      }
    }
    Copy(1);
  }

  void Escape() {
    const std::optional<uint16_t> unit = UnicodeEscape(text_.substr(at_));
    if (!unit || !(IsHighSurrogate(*unit) || IsLowSurrogate(*unit))) {
      Copy(2);
      return;
    }
    const std::optional<uint16_t> next = UnicodeEscape(text_.substr(at_ + 6));
    if (IsHighSurrogate(*unit) && next && IsLowSurrogate(*next)) {
      Copy(12);
      return;
    }
    out_.append("\\ufffd");
    at_ += 6;
    mended_ = true;
  }

  void Number() {
    size_t end = at_;
    while (end < text_.size() && IsNumberCharacter(text_[end])) ++end;
    const absl::string_view number = text_.substr(at_, end - at_);
    if (!IsBeyondDouble(number)) {
      Copy(number.size());
      return;
    }
    absl::StrAppend(&out_, "\"", number, "\"");
    at_ = end;
    mended_ = true;
  }

  const absl::string_view text_;
  size_t at_ = 0;
  std::string out_;
  bool mended_ = false;
};

}  // namespace

bool IsBeyondDouble(absl::string_view number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  const absl::from_chars_result r = absl::from_chars(number.data(), end, value);
  return r.ec == std::errc::result_out_of_range && r.ptr == end &&
         std::abs(value) > 1;
}

bool MendEscapesAndNumbers(absl::string_view text, std::string* out) {
  return Mender(text).Run(out);
}

}  // namespace troika::json
