#include "client/error_body.h"

#include <string>

#include "absl/strings/match.h"
#include "base/json.h"
#include "dto/status.h"

namespace troika::client {

absl::Status ErrorFromBody(int http, absl::string_view body) {
  v1::Error error;
  // No message of ours begins with the tag that this would be.
  if (absl::StartsWith(body, "{")) {
    json::Parser parser;
    const absl::StatusOr<json::Value> parsed = parser.Parse(body);
    if (parsed.ok()) {
      error.set_code(std::string(parsed->Get("code").StringOr("")));
      error.set_message(std::string(parsed->Get("message").StringOr("")));
    }
  } else if (!error.ParseFromArray(body.data(),
                                   static_cast<int>(body.size())) ||
             error.code().empty()) {
    error.Clear();
  }
  return FromError(http, error);
}

}  // namespace troika::client
