// What a client asks and what it is answered.
#ifndef TROIKA_HTTP_MESSAGE_H_
#define TROIKA_HTTP_MESSAGE_H_

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Who is at the other end. The kernel says so, of a Unix socket only.
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

  // Of several, the first; of none, empty.
  absl::string_view Header(absl::string_view lower_case_name) const {
    for (const auto& [name, value] : headers) {
      if (name == lower_case_name) return value;
    }
    return {};
  }
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";  // Empty: none.
  std::string body;
  // Besides those that every response has. A Cache-Control here replaces
  // "no-store".
  Headers headers;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_MESSAGE_H_
