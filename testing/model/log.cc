#include "testing/model/log.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace troika::model {
namespace {

bool IsSecret(absl::string_view name) {
  static const auto* const kSecret = new std::set<std::string>{
      "authorization",  "cookie",    "proxy-authorization",
      "x-goog-api-key", "x-api-key", "set-cookie"};
  return kSecret->count(std::string(name)) > 0;
}

// Returns the body as one line of JSON: a string if it is not JSON.
std::string BodyJson(const std::string& body) {
  json::Parser parser;
  const auto value = parser.Parse(body);
  std::string text;
  if (!value.ok()) {
    json::AppendQuoted(body, &text);
    return text;
  }
  value->AppendJson(&text);
  // Newlines are only between tokens, because strings can't contain them.
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\r', ' ');
  return text;
}

}  // namespace

absl::string_view KindName(Purpose purpose) {
  switch (purpose) {
    case Purpose::kMain:
      return "main";
    case Purpose::kUnknown:
      return "unknown";
    default:
      return "side";
  }
}

std::string RequestLine(const http::Request& http, Wire wire, Purpose purpose,
                        std::optional<int> answer) {
  json::ObjectWriter headers;
  for (const auto& [name, value] : http.headers) {
    if (!IsSecret(name)) headers.String(name, value);
  }
  json::ObjectWriter line;
  line.String("method", http.method)
      .String("path", http.query.empty()
                          ? http.path
                          : absl::StrCat(http.path, "?", http.query))
      .String("wire", WireName(wire))
      .String("kind", KindName(purpose));
  if (answer) line.Json("answer", absl::StrCat(*answer));
  line.Json("headers", headers.Take());
  if (!http.body.empty()) line.Json("body", BodyJson(http.body));
  return absl::StrCat(line.Take(), "\n");
}

std::string NoteLine(absl::string_view note, int answer) {
  return absl::StrCat(json::ObjectWriter()
                          .String("note", note)
                          .Json("answer", absl::StrCat(answer))
                          .Take(),
                      "\n");
}

}  // namespace troika::model
