#include "testing/model/wire.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json_writer.h"

namespace troika::model {
namespace {

using json::ObjectWriter;

struct Route {
  Wire wire = Wire::kNone;
  Purpose purpose = Purpose::kUnknown;
};

// Other paths that Claude Code requests; it works without their responses.
constexpr absl::string_view kClaudeOther[] = {
    "/api/event_logging", "/api/hello", "/api/claude_code", "/api/claude_cli",
    "/api/eval",          "/api/oauth", "/mcp-registry",
};

Route GeminiRoute(absl::string_view path) {
  if (absl::EndsWith(path, ":streamGenerateContent") ||
      absl::EndsWith(path, ":generateContent")) {
    return {Wire::kGemini, Purpose::kMain};
  }
  if (absl::EndsWith(path, ":countTokens")) {
    return {Wire::kGemini, Purpose::kCount};
  }
  return {};
}

Route RouteOf(const http::Request& http) {
  const absl::string_view path = http.path;
  // HEAD arrives as GET.
  if (http.method == "GET") {
    if (path == "/") return {Wire::kMessages, Purpose::kOther};
    if (absl::EndsWith(path, "/models")) {
      return {Wire::kResponses, Purpose::kModels};
    }
  }
  for (const absl::string_view other : kClaudeOther) {
    if (absl::StartsWith(path, other)) {
      return {Wire::kMessages, Purpose::kOther};
    }
  }
  if (http.method != "POST") return {};
  if (absl::EndsWith(path, "/v1/messages")) {
    return {Wire::kMessages, Purpose::kMain};
  }
  if (absl::EndsWith(path, "/v1/messages/count_tokens")) {
    return {Wire::kMessages, Purpose::kCount};
  }
  if (absl::EndsWith(path, "/responses")) {
    return {Wire::kResponses, Purpose::kMain};
  }
  return GeminiRoute(path);
}

// Parses "/v1beta/models/M:verb".
std::string GeminiModel(absl::string_view path) {
  const size_t begin = path.rfind("/models/");
  const size_t end = path.rfind(':');
  if (begin == absl::string_view::npos || end == absl::string_view::npos ||
      end < begin + 8) {
    return "";
  }
  return std::string(path.substr(begin + 8, end - begin - 8));
}

absl::string_view MessagesErrorType(int status) {
  switch (status) {
    case 400:
      return "invalid_request_error";
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 529:
      return "overloaded_error";
    default:
      return "api_error";
  }
}

absl::string_view GeminiErrorStatus(int status) {
  switch (status) {
    case 400:
      return "INVALID_ARGUMENT";
    case 401:
      return "UNAUTHENTICATED";
    case 403:
      return "PERMISSION_DENIED";
    case 404:
      return "NOT_FOUND";
    case 429:
      return "RESOURCE_EXHAUSTED";
    case 503:
      return "UNAVAILABLE";
    case 504:
      return "DEADLINE_EXCEEDED";
    default:
      return "INTERNAL";
  }
}

}  // namespace

absl::StatusOr<Request> ReadRequest(const http::Request& http) {
  const Route route = RouteOf(http);
  Request request;
  request.wire = route.wire;
  request.purpose = route.purpose;
  if (route.purpose != Purpose::kMain) return request;
  json::Parser parser;
  const absl::StatusOr<json::Value> body = parser.Parse(http.body);
  if (!body.ok() || !body->IsObject()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "read the body of ", http.path, ": ",
        body.ok() ? "it is no JSON object" : body.status().message()));
  }
  request.model = std::string(body->Get("model").StringOr(""));
  switch (route.wire) {
    case Wire::kResponses:
      ReadResponses(*body, &request);
      break;
    case Wire::kMessages:
      ReadMessages(*body, &request);
      break;
    case Wire::kGemini:
      request.model = GeminiModel(http.path);
      ReadGemini(*body, &request);
      if (absl::EndsWith(http.path, ":generateContent")) {
        request.transfer = Transfer::kWhole;
        if (request.purpose == Purpose::kMain) {
          request.purpose = Purpose::kAside;
        }
      }
      break;
    case Wire::kNone:
      break;
  }
  return request;
}

absl::string_view ErrorType(Wire wire, int status) {
  switch (wire) {
    case Wire::kMessages:
      return MessagesErrorType(status);
    case Wire::kGemini:
      return GeminiErrorStatus(status);
    case Wire::kResponses:
    case Wire::kNone:
      return status == 429   ? "rate_limit_exceeded"
             : status >= 500 ? "server_error"
                             : "invalid_request_error";
  }
  return "";
}

http::Response ErrorReply(Wire wire, int status, absl::string_view message) {
  ObjectWriter error;
  const absl::string_view type = ErrorType(wire, status);
  http::Response response;
  response.status = status;
  switch (wire) {
    case Wire::kMessages:
      error.String("type", type).String("message", message);
      response.body = ObjectWriter()
                          .String("type", "error")
                          .Json("error", error.Take())
                          .Take();
      return response;
    case Wire::kGemini:
      error.Json("code", absl::StrCat(status))
          .String("message", message)
          .String("status", type);
      break;
    case Wire::kResponses:
    case Wire::kNone:
      error.String("message", message)
          .String("type", type)
          .Json("param", "null")
          .Json("code", "null");
      break;
  }
  response.body = ObjectWriter().Json("error", error.Take()).Take();
  return response;
}

}  // namespace troika::model
