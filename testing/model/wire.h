// The three wires: which requests are whose, and what they say.
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

// InvalidArgument where a request of a wire has no JSON body that can be read.
// Whatever else is wrong with it is left out: bytes of strangers.
absl::StatusOr<Request> ReadRequest(const http::Request& http);

// Each fills in what the body says; wire, purpose and model may be set.
void ReadResponses(json::Value body, Request* to);
void ReadMessages(json::Value body, Request* to);
void ReadGemini(json::Value body, Request* to);

// An error as the wire's server writes it.
http::Response ErrorReply(Wire wire, int status, absl::string_view message);
// The wire's word for an HTTP status.
absl::string_view ErrorType(Wire wire, int status);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_WIRE_H_
