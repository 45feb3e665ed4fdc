// Where the server is.
//
// TROIKA_URL names one on TCP, and TROIKA_TOKEN is what it is shown; else it is
// the one of $TROIKA_HOME, on the socket there.
#ifndef TROIKA_CLIENT_PLACE_H_
#define TROIKA_CLIENT_PLACE_H_

#include <string>

#include "absl/status/statusor.h"
#include "agent/discovery/environment.h"

namespace troika::client {

struct Place {
  std::string url;    // "http://127.0.0.1:4747": no path, no slash at its end.
  std::string token;  // Empty: none is shown.
  // The state folder of a server on this machine; empty: only `url` counts.
  std::string home;

  bool is_local() const { return !home.empty(); }
  // For errors: a URL, or a socket's path.
  std::string Name() const;
};

inline constexpr char kServerSocket[] = "server.sock";

// InvalidArgument where TROIKA_URL is none.
absl::StatusOr<Place> FindPlace(const Environment& environment);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_PLACE_H_
