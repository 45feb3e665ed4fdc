// For tests of the parser: shows its results as text.
#ifndef TROIKA_HTTP_TESTING_H_
#define TROIKA_HTTP_TESTING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/request_parser.h"

namespace troika::http {

// Returns a line for each request, each of its headers and its body, and at the
// end the parser's state: idle, head, body or the error.
std::string Transcript(const RequestParser::Limits& limits,
                       const std::vector<absl::string_view>& pieces);

}  // namespace troika::http

#endif  // TROIKA_HTTP_TESTING_H_
