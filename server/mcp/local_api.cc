#include "server/mcp/local_api.h"

namespace troika {

void LocalApi::SendRaw(absl::string_view method, std::string path,
                       std::string query, const google::protobuf::Message* body,
                       ReplyCallback done) const {
  // Shared with the callback, because handlers borrow the request until then.
  auto request = std::make_shared<http::Request>();
  request->method = std::string(method);
  request->path = std::move(path);
  request->query = std::move(query);
  request->headers = {{"accept", std::string(kBinaryType)},
                      {"content-type", std::string(kBinaryType)}};
  request->peer = peer_;
  if (body != nullptr) request->body = body->SerializeAsString();
  Match match = MatchRoute(request->method, request->path);
  if (match.route == nullptr) {
    return done(absl::InternalError("no such route"));
  }
  const Call call(request.get(), std::move(match.args));
  absl::StatusOr<Deferred> handled = match.route->handle(*api_, call);
  if (!handled.ok()) return done(handled.status());
  (*handled)(
      [request, done = std::move(done)](absl::StatusOr<Reply> reply) mutable {
        done(std::move(reply));
      });
}

}  // namespace troika
