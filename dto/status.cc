#include "dto/status.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dto/proto_json.h"
#include "task/answer.h"

namespace troika {
namespace {

using Code = absl::StatusCode;

constexpr ErrorCodeRow kRows[] = {
    {"invalid_argument", 400, Code::kInvalidArgument},
    {"unauthenticated", 401, Code::kUnauthenticated},
    {"permission_denied", 403, Code::kPermissionDenied},
    {"not_found", 404, Code::kNotFound},
    {"already_exists", 409, Code::kAlreadyExists},
    {"failed_precondition", 409, Code::kFailedPrecondition},
    {"resource_exhausted", 429, Code::kResourceExhausted},
    {"internal", 500, Code::kInternal},
    {"data_loss", 500, Code::kDataLoss},
    {"unimplemented", 501, Code::kUnimplemented},
    {"unavailable", 503, Code::kUnavailable},
    {"deadline_exceeded", 504, Code::kDeadlineExceeded},
    {"method_not_allowed", 405, Code::kUnimplemented},
    {"not_acceptable", 406, Code::kInvalidArgument},
    {"unsupported_media_type", 415, Code::kInvalidArgument},
};

// The code that the API uses instead.
Code Nearest(Code code) {
  switch (code) {
    case Code::kOutOfRange:
      return Code::kInvalidArgument;
    case Code::kAborted:
      return Code::kFailedPrecondition;
    case Code::kCancelled:
      return Code::kUnavailable;
    default:
      return code;
  }
}

const ErrorCodeRow& RowOf(Code code) {
  const auto find = [](Code wanted) {
    return std::find_if(
        std::begin(kRows), std::end(kRows),
        [&](const ErrorCodeRow& row) { return row.code == wanted; });
  };
  const auto* const row = find(Nearest(code));
  return row != std::end(kRows) ? *row : *find(Code::kInternal);
}

Code CodeOfHttp(int http) {
  // Too long, in its three forms.
  if (http == 413 || http == 414 || http == 431) return Code::kInvalidArgument;
  // Two codes have status 409; only the error's code tells them apart.
  if (http == 409) return Code::kFailedPrecondition;
  for (const ErrorCodeRow& row : kRows) {
    if (row.http == http) return row.code;
  }
  if (http == 502) return Code::kUnavailable;
  return http >= 400 && http < 500 ? Code::kInvalidArgument : Code::kInternal;
}

}  // namespace

absl::Span<const ErrorCodeRow> ErrorCodes() { return kRows; }

int HttpStatusOf(Code code) { return RowOf(code).http; }

absl::string_view ErrorIdOf(Code code) { return RowOf(code).id; }

v1::Error ToError(const absl::Status& status) {
  v1::Error error;
  error.set_code(std::string(ErrorIdOf(status.code())));
  error.set_message(json::ToValidUtf8(status.message()));
  if (const auto winner = status.GetPayload(kAnsweredPayload)) {
    const absl::Status read = FromJson(json::ToValidUtf8(std::string(*winner)),
                                       error.mutable_answered());
    if (!read.ok()) error.clear_answered();
  }
  return error;
}

absl::Status FromError(int http, const v1::Error& error) {
  const std::string message =
      error.message().empty()
          ? absl::StrCat("the server answered with HTTP status ", http)
          : error.message();
  for (const ErrorCodeRow& row : kRows) {
    if (row.id == error.code()) return absl::Status(row.code, message);
  }
  return absl::Status(CodeOfHttp(http), message);
}

}  // namespace troika
