// Authenticates requests by their heads.
//
// On the Unix socket the peer's uid must be the owner's. On TCP a request must
// carry the token, and its Host must be a name that this server is known by,
// which a page whose name was rebound to our address does not have.
#ifndef TROIKA_SERVER_ACCESS_H_
#define TROIKA_SERVER_ACCESS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "http/message.h"
#include "server/token.h"

namespace troika {

struct AccessOptions {
  // Lower-case names that Host may have besides localhost.
  std::vector<std::string> hosts;
  // We listen elsewhere, too: any address is a good name for us.
  enum class Reach { kLoopback, kAnywhere };
  Reach reach = Reach::kLoopback;
};

// "[::1]:80" and "::1" are "::1"; lower case.
std::string HostWithoutPort(absl::string_view host);

// Whether a page of that Origin is from the Host that it asks now, port and
// all.
bool IsOwnPage(absl::string_view origin, absl::string_view host);

// Loop thread only.
class Access {
 public:
  enum class Need { kNothing, kToken };

  // `token` is borrowed.
  Access(Token* token, AccessOptions options)
      : token_(*token), options_(std::move(options)) {}

  // Unauthenticated or PermissionDenied say what to do.
  absl::Status Check(const http::Request& request, Need need);

 private:
  bool IsOurs(absl::string_view host) const;

  Token& token_;
  const AccessOptions options_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_ACCESS_H_
