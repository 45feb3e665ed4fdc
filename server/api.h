// Serves the API (docs/api.md): authenticates requests, calls the handlers of
// their routes, and sends the replies.
#ifndef TROIKA_SERVER_API_H_
#define TROIKA_SERVER_API_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "http/server.h"
#include "server/call.h"
#include "server/routes.h"

namespace troika {

// Loop thread only.
class Api {
 public:
  static constexpr int kMaxStreams = 2000;  // For each client.

  explicit Api(ApiTools tools) : tools_(std::move(tools)) {}

  // Authenticates a request before its body is read.
  http::Admission Admit(const http::Request& head);
  // Handles a request that was admitted.
  void Handle(std::unique_ptr<http::Exchange> exchange);

 private:
  void Send(http::Exchange& exchange, const Route& route,
            absl::StatusOr<Reply> reply);
  void SendStream(http::Exchange& exchange, Reply reply);

  const ApiTools tools_;
  // How many streams each client has open. Shared with the streams, which may
  // outlive us.
  const std::shared_ptr<std::map<std::string, int>> streams_ =
      std::make_shared<std::map<std::string, int>>();
};

}  // namespace troika

#endif  // TROIKA_SERVER_API_H_
