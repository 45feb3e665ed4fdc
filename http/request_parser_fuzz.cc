// Parses any bytes as requests: the result must not depend on their splits.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "http/testing.h"
#include "http/uri.h"

namespace troika::http {
namespace {

void FuzzParser(absl::string_view input) {
  // The limits are small, so that short inputs reach them.
  const RequestParser::Limits limits = {.max_head_bytes = 512,
                                        .max_target_bytes = 128,
                                        .max_headers = 8,
                                        .max_body_bytes = 1024};
  const std::string whole = Transcript(limits, {input});
  std::vector<absl::string_view> bytes;
  std::vector<absl::string_view> pieces;
  for (size_t i = 0; i < input.size(); ++i) bytes.push_back(input.substr(i, 1));
  for (size_t at = 0; at < input.size();) {
    const size_t size = 1 + static_cast<uint8_t>(input[at]) % 29;
    pieces.push_back(input.substr(at, size));
    at += size;
  }
  CHECK(whole == Transcript(limits, bytes));
  CHECK(whole == Transcript(limits, pieces));

  for (const auto& segment :
       SplitPath(input).value_or(std::vector<std::string>())) {
    CHECK(!segment.empty() && segment != "." && segment != "..");
    CHECK(!absl::StrContains(segment, '/'));
    CHECK(!absl::StrContains(segment, '\0'));
  }
  ParseQuery(input);
}

}  // namespace
}  // namespace troika::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  troika::http::FuzzParser({reinterpret_cast<const char*>(data), size});
  return 0;
}
