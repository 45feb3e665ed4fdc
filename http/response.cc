#include "http/response.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troika::http {
namespace {

struct Reason {
  int status;
  absl::string_view text;
};

constexpr Reason kReasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

// Returns the reason phrase: "Not Found" for 404.
absl::string_view ReasonOf(int status) {
  for (const Reason& reason : kReasons) {
    if (reason.status == status) return reason.text;
  }
  return "Unknown";
}

void AppendHeader(absl::string_view name, absl::string_view value,
                  std::string* out) {
  const size_t start = out->size();
  absl::StrAppend(out, name, ": ", value);
  std::replace_if(
      out->begin() + static_cast<std::ptrdiff_t>(start), out->end(),
      [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  out->append("\r\n");
}

}  // namespace

bool HasBody(int status) { return status != 204 && status != 304; }

std::string ResponseHead(const Response& response, Framing framing,
                         Persistence persistence) {
  std::string out;
  out.reserve(256);
  absl::StrAppend(&out, "HTTP/1.1 ", response.status, " ",
                  ReasonOf(response.status), "\r\n");
  const bool has_body = HasBody(response.status);
  if (has_body && !response.content_type.empty()) {
    AppendHeader("Content-Type", response.content_type, &out);
  }
  if (has_body && framing == Framing::kLength) {
    absl::StrAppend(&out, "Content-Length: ", response.body.size(), "\r\n");
  }
  out.append("X-Content-Type-Options: nosniff\r\n");
  bool has_cache_control = false;
  for (const auto& [name, value] : response.headers) {
    AppendHeader(name, value, &out);
    has_cache_control =
        has_cache_control || absl::EqualsIgnoreCase(name, "cache-control");
  }
  if (!has_cache_control) out.append("Cache-Control: no-store\r\n");
  switch (persistence) {
    case Persistence::kKeep:
      break;
    case Persistence::kKeepHttp10:
      out.append("Connection: keep-alive\r\n");
      break;
    case Persistence::kClose:
      out.append("Connection: close\r\n");
      break;
  }
  out.append("\r\n");
  return out;
}

}  // namespace troika::http
