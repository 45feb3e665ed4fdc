#ifndef TROIKA_CLIENT_ERROR_BODY_H_
#define TROIKA_CLIENT_ERROR_BODY_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace troika::client {

// What a reply of this HTTP status and body says: an Error, binary or as JSON,
// or anything where it was not our server that answered. Never OK.
absl::Status ErrorFromBody(int http, absl::string_view body);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_ERROR_BODY_H_
