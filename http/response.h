// Formats the head of a response.
#ifndef TROIKA_HTTP_RESPONSE_H_
#define TROIKA_HTTP_RESPONSE_H_

#include <string>

#include "http/message.h"

namespace troika::http {

enum class Framing {
  kLength,       // Content-Length, unless the status has no body.
  kUntilClosed,  // A stream, which ends when the connection closes.
};
enum class Persistence { kKeep, kKeepHttp10, kClose };

// Returns false for 204 and 304, which never have a body.
bool HasBody(int status);
// Returns the status line and all headers. A control character in a header
// becomes a space, so that no text can end its line.
std::string ResponseHead(const Response& response, Framing framing,
                         Persistence persistence);

}  // namespace troika::http

#endif  // TROIKA_HTTP_RESPONSE_H_
