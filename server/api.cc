#include "server/api.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/ancestry.h"
#include "server/routes.h"

namespace troika {
namespace {

http::Response NotAllowed(const Match& match) {
  const std::string methods = absl::StrJoin(match.methods, ", ");
  http::Response response =
      ErrorResponse(405, absl::StrCat("this path takes ", methods));
  response.headers.emplace_back("Allow", methods);
  return response;
}

// A form of another page could send the other types without being asked.
bool IsKnownBody(const http::Request& request) {
  if (request.body.empty()) return true;
  const absl::string_view type = request.Header("content-type");
  const std::string name = absl::AsciiStrToLower(
      absl::StripAsciiWhitespace(type.substr(0, type.find(';'))));
  return name == "application/json" || name == "application/x-protobuf";
}

}  // namespace

void Api::Handle(std::unique_ptr<http::Exchange> exchange) {
  const http::Request& request = exchange->request();
  Match match = MatchRoute(request.method, request.path);
  const Access::Need need =
      match.route != nullptr ? match.route->need : Access::Need::kToken;
  tools_.metrics->CountRequest(
      match.route != nullptr
          ? absl::StrCat(match.route->method, " ", match.route->path)
          : "other");
  if (const absl::Status access = tools_.access->Check(request, need);
      !access.ok()) {
    return exchange->Reply(ErrorResponse(access));
  }
  if (match.route == nullptr && !match.methods.empty()) {
    return exchange->Reply(NotAllowed(match));
  }
  if (match.route == nullptr) {
    return exchange->Reply(ErrorResponse(
        404,
        "there is nothing at this path: GET /openapi.json lists what "
        "there is"));
  }
  if (!IsKnownBody(request)) {
    return exchange->Reply(
        ErrorResponse(415,
                      "send the body as Content-Type: application/json, or "
                      "application/x-protobuf"));
  }
  const auto handle = match.route->handle;
  (this->*handle)(Call(std::move(exchange), std::move(match.args)));
}

Api::Caller Api::CallerOf(const http::Request& request) const {
  if (request.peer.kind != http::Peer::Kind::kUnix) return {};
  const auto ancestors = AncestorsOf(request.peer.pid);
  // It may be anybody's, an agent's too.
  if (!ancestors) return {.role = Caller::Role::kAgent};
  for (const Ancestor& ancestor : *ancestors) {
    if (!IsRelay(ancestor)) continue;
    const std::string task = tools_.tasks->TaskOfRelay(ancestor.pid);
    // The guard's parent is its relay.
    if (!task.empty() || ancestor.name == "troika-relay") {
      return {.role = Caller::Role::kAgent, .task = task};
    }
  }
  return {};
}

}  // namespace troika
