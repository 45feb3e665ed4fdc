#include "dto/status.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "task/answer.h"

namespace troika {
namespace {

using Code = absl::StatusCode;

v1::Error MakeError(const std::string& code, const std::string& message) {
  v1::Error error;
  error.set_code(code);
  error.set_message(message);
  return error;
}

TEST(StatusTest, EveryCodeHasOneRow) {
  std::set<absl::string_view> ids;
  for (const ErrorCodeRow& row : ErrorCodes()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_GE(row.http, 400) << row.id;
    EXPECT_LT(row.http, 600) << row.id;
    EXPECT_NE(row.code, Code::kOk) << row.id;
  }
  EXPECT_EQ(ids.size(), 15u);
}

TEST(StatusTest, WhatIsSentIsWhatArrives) {
  for (const Code code :
       {Code::kInvalidArgument, Code::kUnauthenticated, Code::kPermissionDenied,
        Code::kNotFound, Code::kAlreadyExists, Code::kFailedPrecondition,
        Code::kResourceExhausted, Code::kInternal, Code::kDataLoss,
        Code::kUnimplemented, Code::kUnavailable, Code::kDeadlineExceeded}) {
    const absl::Status sent(code, "what to do");
    EXPECT_EQ(FromError(HttpStatusOf(code), ToError(sent)), sent);
  }
}

TEST(StatusTest, TheFirstAnswerIsInTheErrorOfTheSecond) {
  const absl::Status second = AnsweredError({.id = "a",
                                             .choice = "deny",
                                             .text = "no\xff",
                                             .by = "user",
                                             .via = "page",
                                             .delivery = Delivery::kDelivered});
  EXPECT_EQ(HttpStatusOf(second.code()), 409);
  const v1::Error error = ToError(second);
  EXPECT_EQ(error.answered().id(), "a");
  EXPECT_EQ(error.answered().choice(), "deny");
  EXPECT_EQ(error.answered().text(), "no\xEF\xBF\xBD");
  EXPECT_EQ(error.answered().by(), "user");
  EXPECT_EQ(error.answered().via(), "page");
  EXPECT_EQ(error.answered().delivery(), v1::Approval::delivered);
  EXPECT_FALSE(ToError(absl::NotFoundError("x")).has_answered());
}

TEST(StatusTest, OthersBecomeTheNearest) {
  EXPECT_EQ(HttpStatusOf(Code::kOutOfRange), 400);
  EXPECT_EQ(HttpStatusOf(Code::kAborted), 409);
  EXPECT_EQ(HttpStatusOf(Code::kCancelled), 503);
  EXPECT_EQ(HttpStatusOf(Code::kUnknown), 500);
  EXPECT_EQ(ErrorIdOf(Code::kUnknown), "internal");
}

TEST(StatusTest, ReadsWhatTheHttpLayerSays) {
  EXPECT_EQ(FromError(405, MakeError("method_not_allowed", "x")).code(),
            Code::kUnimplemented);
  EXPECT_EQ(FromError(415, MakeError("unsupported_media_type", "x")).code(),
            Code::kInvalidArgument);
}

TEST(StatusTest, WithoutACodeTheHttpStatusCounts) {
  for (const auto& [http, code] :
       {std::pair{413, Code::kInvalidArgument},
        std::pair{409, Code::kFailedPrecondition},
        std::pair{404, Code::kNotFound}, std::pair{502, Code::kUnavailable},
        std::pair{418, Code::kInvalidArgument}, std::pair{599, Code::kInternal},
        std::pair{200, Code::kInternal}}) {
    EXPECT_EQ(FromError(http, v1::Error()).code(), code) << http;
  }
  EXPECT_EQ(FromError(404, v1::Error()).message(),
            "the server answered with HTTP status 404");
  EXPECT_EQ(FromError(500, MakeError("brand_new", "m")).message(), "m");
}

TEST(StatusTest, MessagesAreUtf8) {
  EXPECT_EQ(ToError(absl::InternalError("a\xff")).message(), "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace troika
