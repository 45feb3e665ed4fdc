// Errors as the API carries them: converts between a Status and an Error's code
// with its HTTP status. One table, in status.cc, which docs/api.md shows.
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

// Every code has a result: those that the API lacks become the nearest.
int HttpStatusOf(absl::StatusCode code);
absl::string_view ErrorIdOf(absl::StatusCode code);

// `status` is not OK. If somebody else's answer was first, the error has it.
v1::Error ToError(const absl::Status& status);

// Goes by the error's code, or by the HTTP status if we don't know the code.
// Never OK.
absl::Status FromError(int http, const v1::Error& error);

}  // namespace troika

#endif  // TROIKA_DTO_STATUS_H_
