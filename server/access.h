// Authenticates requests by their heads.
//
// On the Unix socket the peer's uid must be the owner's. On TCP a request must
// carry the token or a browser's session, and its Host must be a name that this
// server is known by, which a page whose name was rebound to our address does
// not have.
#ifndef TROIKA_SERVER_ACCESS_H_
#define TROIKA_SERVER_ACCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "http/message.h"
#include "server/page_sessions.h"

namespace troika {

// The token of the API, which clients on TCP send with each request. Loop
// thread only.
class Token {
 public:
  // Creates the file if there is none, readable by the owner only. On a full
  // disk there is no token, and nothing matches. FailedPrecondition if others
  // may read the file.
  static absl::StatusOr<Token> Open(const std::string& path);

  // Takes the same time for right and wrong tokens. Follows a file that is
  // replaced; if the file is gone, nothing matches.
  bool Matches(absl::string_view given);
  // Why nothing matched the file when Matches() last read it. Names no path.
  const absl::Status& problem() const { return problem_; }

 private:
  explicit Token(std::string path) : path_(std::move(path)) {}

  absl::Status Read();

  std::string path_;
  std::string value_;
  absl::Status problem_;
  // Identity of the file that the value was read from.
  ino_t inode_ = 0;
  int64_t changed_ns_ = 0;
};

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

  // Both are borrowed.
  Access(Token* token, PageSessions* sessions, AccessOptions options)
      : token_(*token), sessions_(*sessions), options_(std::move(options)) {}

  // Unauthenticated or PermissionDenied say what to do.
  absl::Status Check(const http::Request& request, Need need);

 private:
  bool IsOurs(absl::string_view host) const;
  absl::Status CheckSession(const http::Request& request);

  Token& token_;
  PageSessions& sessions_;
  const AccessOptions options_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_ACCESS_H_
