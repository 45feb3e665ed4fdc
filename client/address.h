// The address of the server that commands talk to.
#ifndef TROIKA_CLIENT_ADDRESS_H_
#define TROIKA_CLIENT_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "agent/discovery/environment.h"

namespace troika::client {

struct ServerAddress {
  std::string url;    // "http://127.0.0.1:4747", without a path.
  std::string token;  // Sent with each request unless it is empty.
  // State folder of a server on this machine, which is reached through the
  // socket there; empty if the server is reached through `url`.
  std::string home;

  bool is_local() const { return !home.empty(); }
  // The URL or the socket's path, for errors.
  std::string Name() const;
};

// TROIKA_URL with TROIKA_TOKEN if it is set, else the server of $TROIKA_HOME.
// InvalidArgument if TROIKA_URL is not a server's URL.
absl::StatusOr<ServerAddress> FindServerAddress(const Environment& environment);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_ADDRESS_H_
