#include "agent/launch/version.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace troika {
namespace {

// Takes a number from the start of `text`; takes nothing if there is none or it
// is too large.
bool TakeNumber(absl::string_view* text, int* number) {
  size_t digits = 0;
  while (digits < text->size() && absl::ascii_isdigit((*text)[digits])) {
    ++digits;
  }
  if (!absl::SimpleAtoi(text->substr(0, digits), number)) return false;
  text->remove_prefix(digits);
  return true;
}

bool TakeDot(absl::string_view* text) {
  if (text->empty() || text->front() != '.') return false;
  text->remove_prefix(1);
  return true;
}

// Takes "1.2.3" from the start of `text`.
bool TakeVersion(absl::string_view* text, Version* version) {
  return TakeNumber(text, &version->major) && TakeDot(text) &&
         TakeNumber(text, &version->minor) && TakeDot(text) &&
         TakeNumber(text, &version->patch);
}

bool IsSuffix(char c) {
  return absl::ascii_isalnum(c) || c == '-' || c == '+' || c == '.';
}

}  // namespace

absl::string_view FindVersion(absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (!absl::ascii_isdigit(text[i])) continue;
    absl::string_view rest = text.substr(i);
    Version version;
    if (TakeVersion(&rest, &version)) {
      size_t suffix = 0;
      while (suffix < rest.size() && IsSuffix(rest[suffix])) ++suffix;
      return text.substr(i, text.size() - i - rest.size() + suffix);
    }
    // The rest of this number can't begin a version either.
    while (i + 1 < text.size() && absl::ascii_isdigit(text[i + 1])) ++i;
  }
  return "";
}

Version ParseVersion(absl::string_view text) {
  absl::string_view found = FindVersion(text);
  Version version;
  return TakeVersion(&found, &version) ? version : kUnknownVersion;
}

std::string VersionText(const Version& version) {
  return absl::StrCat(version.major, ".", version.minor, ".", version.patch);
}

}  // namespace troika
