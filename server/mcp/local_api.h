// Calls the handlers of the API within the server, as the client of another
// request: what that client may not do is refused as it is on the API itself.
//
//   LocalApi(api, request.peer)
//       .Send<v1::Task>("POST", "/api/v1/tasks", &body,
//                       [](absl::StatusOr<v1::Task> task) { … });
#ifndef TROIKA_SERVER_MCP_LOCAL_API_H_
#define TROIKA_SERVER_MCP_LOCAL_API_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "http/message.h"
#include "server/routes.h"

namespace troika {

// Loop thread only. Callbacks may be called within the call that takes them.
class LocalApi {
 public:
  // `api` is borrowed.
  LocalApi(const ApiTools* api, const http::Peer& peer)
      : api_(api), peer_(peer) {}

  template <typename M>
  using Done = absl::AnyInvocable<void(absl::StatusOr<M>)>;

  // `path` is escaped and has no query.
  template <typename M>
  void Send(absl::string_view method, std::string path,
            const google::protobuf::Message* /*nullable*/ body,
            Done<M> done) const {
    SendRaw(method, std::move(path), "", body,
            [done = std::move(done)](absl::StatusOr<Reply> reply) mutable {
              done(To<M>(std::move(reply)));
            });
  }
  // Does the same for a request whose fields are a query.
  template <typename M>
  void Get(std::string path, std::string query, Done<M> done) const {
    SendRaw("GET", std::move(path), std::move(query), nullptr,
            [done = std::move(done)](absl::StatusOr<Reply> reply) mutable {
              done(To<M>(std::move(reply)));
            });
  }

  const ApiTools& api() const { return *api_; }
  const http::Peer& peer() const { return peer_; }

 private:
  template <typename M>
  static absl::StatusOr<M> To(absl::StatusOr<Reply> reply) {
    if (!reply.ok()) return reply.status();
    if (!reply->message || reply->message->GetDescriptor() != M::descriptor()) {
      return absl::InternalError("the handler's reply has another type");
    }
    return static_cast<const M&>(*reply->message);
  }
  void SendRaw(absl::string_view method, std::string path, std::string query,
               const google::protobuf::Message* /*nullable*/ body,
               ReplyCallback done) const;

  const ApiTools* api_;
  http::Peer peer_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_LOCAL_API_H_
