// A request of the API and its reply, without the connection between them.
#ifndef TROIKA_SERVER_CALL_H_
#define TROIKA_SERVER_CALL_H_

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "http/server.h"
#include "store/task_store.h"

namespace troika {

inline constexpr absl::string_view kJsonType = "application/json";
inline constexpr absl::string_view kBinaryType = "application/x-protobuf";

// A request as its handler reads it.
class Call {
 public:
  // Borrows `request`. `args` are what the route's path names in braces, in
  // order.
  Call(const http::Request* request, std::vector<std::string> args)
      : request_(*request), args_(std::move(args)) {}

  const http::Request& request() const { return request_; }
  const std::string& arg(size_t i) const { return args_[i]; }

  // Reads the body in the encoding of its Content-Type. No body is a message
  // without fields.
  absl::Status ReadBody(google::protobuf::Message* out) const;
  absl::Status ReadQuery(google::protobuf::Message* out) const;
  // The first parameter of that name, or an empty string.
  std::string Parameter(absl::string_view name) const;

  // The type of the body, without its parameters, in lower case.
  std::string body_type() const;
  // The encoding that the client asks for.
  Encoding encoding() const;
  bool Accepts(absl::string_view media_type) const;

 private:
  const http::Request& request_;
  const std::vector<std::string> args_;
};

// A handler's reply, unless it is an error.
struct Reply {
  using StreamMaker =
      absl::AnyInvocable<std::unique_ptr<http::BodySource>(http::Waker)>;

  Reply() = default;  // Without a body.
  Reply(std::string body, absl::string_view content_type)
      : body(std::move(body)), content_type(content_type) {}
  // NOLINTNEXTLINE: implicit, so that a message can be returned as it is.
  template <typename M, typename = std::enable_if_t<
                            std::is_base_of_v<google::protobuf::Message, M>>>
  Reply(M message) : message(std::make_shared<M>(std::move(message))) {}
  explicit Reply(StreamMaker stream) : stream(std::move(stream)) {}

  static Reply Json(std::string json) {
    return Reply(std::move(json), kJsonType);
  }

  std::string body;
  std::string content_type;
  int status = 0;         // 0: that of the route.
  http::Headers headers;  // Besides those that every response has.
  // Instead of the body: a message in the encoding that the client asks for.
  std::shared_ptr<const google::protobuf::Message> message;
  // Instead of the body: a stream, of server-sent events unless content_type
  // says otherwise.
  StreamMaker stream;
};
using ReplyCallback = absl::AnyInvocable<void(absl::StatusOr<Reply>)>;

// The response of a reply that is no stream.
http::Response ToResponse(const http::Request& request, int http_status,
                          Reply reply);

// Errors have one shape, in the encoding that the client asks for.
http::Response ErrorResponse(const http::Request& request,
                             const absl::Status& status);
http::Response ErrorResponse(const http::Request& request, int http_status,
                             absl::string_view message);
// For bytes that are no request yet.
http::Response ErrorResponse(int http_status, absl::string_view message);

}  // namespace troika

#endif  // TROIKA_SERVER_CALL_H_
