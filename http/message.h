// HTTP requests and responses.
#ifndef TROIKA_HTTP_MESSAGE_H_
#define TROIKA_HTTP_MESSAGE_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The process at the other end. The kernel tells its user and pid only for a
// Unix socket.
struct Peer {
  enum class Kind { kUnix, kTcp };
  Kind kind = Kind::kTcp;
  uid_t uid = static_cast<uid_t>(-1);
  pid_t pid = 0;
};

struct Request {
  std::string method;
  std::string path;  // Still percent-encoded, without the query.
  std::string query;
  Headers headers;  // Names in lower case.
  std::string body;
  Peer peer;

  // Returns the first header of that name, or "" if there is none.
  absl::string_view Header(absl::string_view lower_case_name) const {
    for (const auto& [name, value] : headers) {
      if (name == lower_case_name) return value;
    }
    return {};
  }
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";  // No header if empty.
  std::string body;
  // Headers besides those that every response has. A Cache-Control here
  // replaces "no-store".
  Headers headers;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_MESSAGE_H_
