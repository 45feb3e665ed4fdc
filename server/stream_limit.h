// Limits how many streams a client may have open.
#ifndef TROIKA_SERVER_STREAM_LIMIT_H_
#define TROIKA_SERVER_STREAM_LIMIT_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "http/server.h"

namespace troika {

// A client is a process on the Unix socket. All of TCP is one client, because
// all of it has the same token.
std::string ClientOf(const http::Peer& peer);

// Loop thread only.
class StreamLimit {
 public:
  explicit StreamLimit(int max) : max_(max) {}

  // ResourceExhausted if the client may have no more.
  absl::Status Check(const std::string& client) const;
  // Counts the stream until it is destroyed.
  std::unique_ptr<http::BodySource> Count(
      const std::string& client, std::unique_ptr<http::BodySource> source);

 private:
  const int max_;
  // Shared with the streams, which may outlive us.
  const std::shared_ptr<std::map<std::string, int>> open_ =
      std::make_shared<std::map<std::string, int>>();
};

}  // namespace troika

#endif  // TROIKA_SERVER_STREAM_LIMIT_H_
