// The parts of a request's target, decoded.
#ifndef TROIKA_HTTP_URI_H_
#define TROIKA_HTTP_URI_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::http {

// Nothing where an escape is no two hex digits, or where there is a NUL,
// escaped or not. '+' stays.
std::optional<std::string> PercentDecode(absl::string_view text);

// "/tasks/t%201" is {"tasks", "t 1"}, and "/" is {}. Nothing where the path
// does not begin with a slash, or where a segment is, once decoded, "", "." or
// ".." or holds a slash: each segment is safe as a file's name.
std::optional<std::vector<std::string>> SplitPath(absl::string_view path);

// "a=1&b=x+y&c" is {{"a", "1"}, {"b", "x y"}, {"c", ""}}. Nothing where
// PercentDecode() refuses a part of it.
std::optional<std::vector<std::pair<std::string, std::string>>> ParseQuery(
    absl::string_view query);

}  // namespace troika::http

#endif  // TROIKA_HTTP_URI_H_
