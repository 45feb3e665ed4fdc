// Who may use the API.
//
// On the Unix socket: its owner, by the peer's uid. On TCP: who shows the
// token, and names us as we are reachable (a page that had its name rebound to
// us does not).
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
  // That Host may name besides localhost; lower case.
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
