// Decodes the parts of a request's target.
#ifndef TROIKA_HTTP_URI_H_
#define TROIKA_HTTP_URI_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::http {

// Returns nullopt if an escape does not have two hex digits, or if there is a
// NUL, escaped or not. '+' stays.
std::optional<std::string> PercentDecode(absl::string_view text);

// "/tasks/t%201" is {"tasks", "t 1"}, and "/" is {}. Returns nullopt if the
// path does not begin with a slash, or if a decoded segment is "", "." or "..".
// An escaped slash is a part of its segment, so that a segment may not be used
// as a file's name without a check.
std::optional<std::vector<std::string>> SplitPath(absl::string_view path);

// "a=1&b=x+y&c" is {{"a", "1"}, {"b", "x y"}, {"c", ""}}. Returns nullopt if
// PercentDecode() refuses a part of it.
std::optional<std::vector<std::pair<std::string, std::string>>> ParseQuery(
    absl::string_view query);

}  // namespace troika::http

#endif  // TROIKA_HTTP_URI_H_
