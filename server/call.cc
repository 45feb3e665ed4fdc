#include "server/call.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "dto/proto_json.h"
#include "dto/status.h"
#include "http/uri.h"

namespace troika {
namespace {

// "application/json; charset=utf-8" without what follows.
std::string MediaType(absl::string_view value) {
  return absl::AsciiStrToLower(
      absl::StripAsciiWhitespace(value.substr(0, value.find(';'))));
}

bool AcceptsType(const http::Request& request, absl::string_view media_type) {
  for (const absl::string_view one :
       absl::StrSplit(request.Header("accept"), ',')) {
    if (MediaType(one) == media_type) return true;
  }
  return false;
}

http::Response Encoded(const http::Request& request, int status,
                       const google::protobuf::Message& message) {
  if (AcceptsType(request, kBinaryType)) {
    return {.status = status,
            .content_type = std::string(kBinaryType),
            .body = message.SerializeAsString()};
  }
  return {.status = status, .body = ToJson(message)};
}

v1::Error ErrorOf(int http_status, absl::string_view message) {
  v1::Error error;
  error.set_code("invalid_argument");
  for (const ErrorCodeRow& row : ErrorCodes()) {
    if (row.http == http_status) {
      error.set_code(std::string(row.id));
      break;
    }
  }
  error.set_message(std::string(message));
  return error;
}

}  // namespace

http::Response ErrorResponse(const http::Request& request,
                             const absl::Status& status) {
  http::Response response =
      Encoded(request, HttpStatusOf(status.code()), ToError(status));
  if (response.status == 401) {
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
  }
  return response;
}

http::Response ErrorResponse(const http::Request& request, int http_status,
                             absl::string_view message) {
  return Encoded(request, http_status, ErrorOf(http_status, message));
}

http::Response ErrorResponse(int http_status, absl::string_view message) {
  return {.status = http_status, .body = ToJson(ErrorOf(http_status, message))};
}

http::Response ToResponse(const http::Request& request, int http_status,
                          Reply reply) {
  if (reply.status != 0) http_status = reply.status;
  if (reply.message) {
    http::Response response = Encoded(request, http_status, *reply.message);
    response.headers = std::move(reply.headers);
    return response;
  }
  return {.status = http_status,
          .content_type = std::move(reply.content_type),
          .body = std::move(reply.body),
          .headers = std::move(reply.headers)};
}

absl::Status Call::ReadBody(google::protobuf::Message* out) const {
  const std::string& body = request_.body;
  const std::string type = body_type();
  if (body.empty()) {
    out->Clear();
    return absl::OkStatus();
  }
  if (type == kBinaryType) return FromBinary(body, out);
  return FromJson(body, out);
}

absl::Status Call::ReadQuery(google::protobuf::Message* out) const {
  const auto parameters = http::ParseQuery(request_.query);
  if (!parameters) {
    return absl::InvalidArgumentError(
        "the query can't be read: write special characters as %XX");
  }
  return FromQuery(*parameters, out);
}

std::string Call::Parameter(absl::string_view name) const {
  const auto parameters = http::ParseQuery(request_.query);
  if (!parameters) return "";
  for (const auto& [key, value] : *parameters) {
    if (key == name) return value;
  }
  return "";
}

bool Call::Accepts(absl::string_view media_type) const {
  return AcceptsType(request_, media_type);
}

std::string Call::body_type() const {
  return MediaType(request_.Header("content-type"));
}

Encoding Call::encoding() const {
  return Accepts(kBinaryType) ? Encoding::kBinary : Encoding::kJson;
}

}  // namespace troika
