// One request of the API, on its way to an answer.
#ifndef TROIKA_SERVER_CALL_H_
#define TROIKA_SERVER_CALL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "http/server.h"

namespace troika {

// Movable, and may be kept: the answer can be given later.
class Call {
 public:
  // `args` are what the route's path names in braces, in order.
  Call(std::unique_ptr<http::Exchange> exchange, std::vector<std::string> args)
      : exchange_(std::move(exchange)), args_(std::move(args)) {}

  const http::Request& request() const { return exchange_->request(); }
  const std::string& arg(size_t i) const { return args_[i]; }
  http::Exchange& exchange() { return *exchange_; }

  // The body, in the encoding that its Content-Type says. No body: a message
  // without anything.
  absl::Status ReadBody(google::protobuf::Message* out) const;
  absl::Status ReadQuery(google::protobuf::Message* out) const;
  // Empty where the query has it not; of several the first.
  std::string Parameter(absl::string_view name) const;

  enum class Encoding { kJson, kBinary };
  // That the client asks for.
  Encoding encoding() const;
  bool Accepts(absl::string_view media_type) const;

  void Reply(const google::protobuf::Message& message, int status = 200);
  void ReplyJson(std::string json, int status = 200);
  void ReplyBytes(std::string bytes, absl::string_view content_type);
  void ReplyNothing();
  void Fail(const absl::Status& status);
  // Either the message or the error.
  template <typename M>
  void ReplyOr(const absl::StatusOr<M>& message, int status = 200) {
    message.ok() ? Reply(*message, status) : Fail(message.status());
  }

 private:
  std::unique_ptr<http::Exchange> exchange_;
  std::vector<std::string> args_;
};

// The one shape of errors, in the encoding that the client asks for.
http::Response ErrorResponse(const http::Request& request,
                             const absl::Status& status);
http::Response ErrorResponse(const http::Request& request, int http_status,
                             absl::string_view message);
// To what is no request yet.
http::Response ErrorResponse(int http_status, absl::string_view message);

}  // namespace troika

#endif  // TROIKA_SERVER_CALL_H_
