// How a response is written.
#ifndef TROIKA_HTTP_RESPONSE_H_
#define TROIKA_HTTP_RESPONSE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "http/message.h"

namespace troika::http {

enum class Framing {
  kLength,       // Content-Length, but for a status that has no body.
  kUntilClosed,  // A stream: its end is the connection's.
};
enum class Persistence { kKeep, kKeepHttp10, kClose };

// "Not Found" of 404.
absl::string_view ReasonOf(int status);
// 204 and 304 have none, whatever they are given.
bool HasBody(int status);
// The status line and all headers. A control character in one becomes a space,
// so that no text can end its line.
std::string ResponseHead(const Response& response, Framing framing,
                         Persistence persistence);

}  // namespace troika::http

#endif  // TROIKA_HTTP_RESPONSE_H_
