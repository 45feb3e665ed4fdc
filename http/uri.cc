#include "http/uri.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace troika::http {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = absl::ascii_tolower(static_cast<unsigned char>(c));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::optional<std::string> DecodeQueryPart(absl::string_view part) {
  return PercentDecode(absl::StrReplaceAll(part, {{"+", " "}}));
}

}  // namespace

std::optional<std::string> PercentDecode(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c == '\0') return std::nullopt;
    out.push_back(c);
  }
  return out;
}

std::optional<std::vector<std::string>> SplitPath(absl::string_view path) {
  if (path.empty() || path[0] != '/') return std::nullopt;
  path.remove_prefix(1);
  std::vector<std::string> segments;
  if (path.empty()) return segments;
  for (const absl::string_view part : absl::StrSplit(path, '/')) {
    std::optional<std::string> segment = PercentDecode(part);
    if (!segment.has_value() || segment->empty() || *segment == "." ||
        *segment == "..") {
      return std::nullopt;
    }
    segments.push_back(*std::move(segment));
  }
  return segments;
}

std::optional<std::vector<std::pair<std::string, std::string>>> ParseQuery(
    absl::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const absl::string_view part :
       absl::StrSplit(query, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> halves =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    std::optional<std::string> name = DecodeQueryPart(halves.first);
    std::optional<std::string> value = DecodeQueryPart(halves.second);
    if (!name.has_value() || !value.has_value()) return std::nullopt;
    pairs.emplace_back(*std::move(name), *std::move(value));
  }
  return pairs;
}

}  // namespace troika::http
