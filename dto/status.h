// Errors as the API carries them: what a Status becomes as an Error's code and
// an HTTP status, and back. One table, in status.cc, which docs/api.md shows.
//
//   HttpStatusOf(absl::StatusCode::kNotFound)           // 404
//   ToError(absl::NotFoundError("no task t1")).code()   // "not_found"
//   FromError(404, error).code()                        // kNotFound
#ifndef TROIKA_DTO_STATUS_H_
#define TROIKA_DTO_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "dto/troika.pb.h"

namespace troika {

struct ErrorCodeRow {
  absl::string_view id;  // Error.code
  int http = 500;
  absl::StatusCode code = absl::StatusCode::kInternal;
};

// All codes that the API has. Of those with the same StatusCode, the first is
// what that becomes; the others are said by the HTTP layer alone.
absl::Span<const ErrorCodeRow> ErrorCodes();

// Total: what the API has no code of its own for becomes the nearest.
int HttpStatusOf(absl::StatusCode code);
absl::string_view ErrorIdOf(absl::StatusCode code);

// `status` is not OK.
v1::Error ToError(const absl::Status& status);

// By the error's code; where that is not known, by the HTTP status. Never OK.
absl::Status FromError(int http, const v1::Error& error);

}  // namespace troika

#endif  // TROIKA_DTO_STATUS_H_
