// Recognizes and parses the requests of the three wires.
#ifndef TROIKA_TESTING_MODEL_WIRE_H_
#define TROIKA_TESTING_MODEL_WIRE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "http/message.h"
#include "testing/model/request.h"

namespace troika::model {

// InvalidArgument if a request of a wire has no valid JSON body. Other errors
// are ignored, because the content is untrusted.
absl::StatusOr<Request> ReadRequest(const http::Request& http);

// Each fills in what the body contains; wire, purpose and model may be set.
void ReadResponses(json::Value body, Request* to);
void ReadMessages(json::Value body, Request* to);
void ReadGemini(json::Value body, Request* to);

// Returns an error in the format of the wire's server.
http::Response ErrorReply(Wire wire, int status, absl::string_view message);
// Returns the wire's name for an HTTP status.
absl::string_view ErrorType(Wire wire, int status);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_WIRE_H_
