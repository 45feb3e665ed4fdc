#include "rpc/message.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace troika::rpc {
namespace {

struct KindCase {
  absl::string_view line;
  Kind kind;
  absl::string_view id;
};

TEST(RpcMessageTest, KindFollowsFromTheMembers) {
  const KindCase kCases[] = {
      {R"({"jsonrpc":"2.0","id":1,"method":"m","params":{}})", Kind::kRequest,
       "1"},
      {R"({"id":0,"method":"m"})", Kind::kRequest, "0"},
      {R"({"id":"0","method":"m"})", Kind::kRequest, R"("0")"},
      {R"({"id":"","method":"m"})", Kind::kRequest, R"("")"},
      {R"({"id":-3,"method":"m","result":1})", Kind::kRequest, "-3"},
      {R"({"method":"m","emittedAtMs":5})", Kind::kNotification, ""},
      {R"({"id":7,"result":{}})", Kind::kResponse, "7"},
      {R"({"id":7,"result":null})", Kind::kResponse, "7"},
      {R"({"id":7,"result":1,"error":null})", Kind::kResponse, "7"},
      {R"({"id":7,"error":{"code":-1,"message":"no"}})", Kind::kError, "7"},
      {R"({"id":null,"error":{"code":-1,"message":"no"}})", Kind::kError, ""},
      {R"({"error":"no"})", Kind::kError, ""},
      {R"({"id":7,"error":{},"result":1})", Kind::kError, "7"},
      {R"({"id":null,"method":"m"})", Kind::kInvalid, ""},
      {R"({"id":1.5,"method":"m"})", Kind::kRequest, "1.5"},
      {R"({"id":99999999999999999999,"method":"m"})", Kind::kRequest,
       "99999999999999999999"},
      {R"({"id":[1],"method":"m"})", Kind::kInvalid, ""},
      {R"({"id":8,"method":5})", Kind::kInvalid, "8"},
      {R"({"id":8})", Kind::kInvalid, "8"},
      {R"({"result":8})", Kind::kInvalid, ""},
      {R"({"id":8,"error":null})", Kind::kInvalid, "8"},
      {R"({})", Kind::kInvalid, ""},
      {R"([{"id":1,"method":"m"}])", Kind::kInvalid, ""},
      {R"("m")", Kind::kInvalid, ""},
  };
  for (const KindCase& c : kCases) {
    SCOPED_TRACE(std::string(c.line));
    json::Parser parser;
    const Message message = Parse(*parser.Parse(c.line));
    EXPECT_EQ(message.kind, c.kind);
    EXPECT_EQ(message.id.json(), c.id);
    EXPECT_EQ(message.fault.empty(), c.kind != Kind::kInvalid);
  }
}

// Whoever waits for a reply gets one, also if its id can't be repeated.
TEST(RpcMessageTest, CallsWithAnyIdWantAReply) {
  const std::string kLong(Id::kMaxBytes, 'x');
  for (const std::string& line :
       {std::string(R"({"id":1,"method":"m"})"),
        std::string(R"({"id":null,"method":"m"})"),
        std::string(R"({"id":{},"method":"m"})"),
        std::string(R"({"id":1,"method":{}})"),
        absl::StrCat(R"({"method":"m","id":")", kLong, "\"}")}) {
    json::Parser parser;
    EXPECT_TRUE(Parse(*parser.Parse(line)).wants_reply) << line;
  }
  for (const absl::string_view line :
       {R"({"method":"m"})", R"({"id":1})", R"({"id":1,"result":1})"}) {
    json::Parser parser;
    EXPECT_FALSE(Parse(*parser.Parse(line)).wants_reply) << line;
  }
}

TEST(RpcMessageTest, IdsOfDifferentTypesDiffer) {
  EXPECT_NE(Id::FromInt(1), Id::FromString("1"));
  EXPECT_EQ(Id::FromInt(1).json(), "1");
  EXPECT_TRUE(Id::FromInt(0).exists());
  EXPECT_TRUE(Id::FromString("").exists());
  EXPECT_FALSE(Id().exists());
}

TEST(RpcMessageTest, ErrorKeepsItsParts) {
  json::Parser parser;
  const Message message = Parse(*parser.Parse(
      R"({"id":1,"error":{"code":-32600,"message":"bad","data":{"a":1}}})"));
  EXPECT_EQ(message.error, (Error{-32600, "bad", R"({"a":1})"}));
}

TEST(RpcMessageTest, WritesSingleLines) {
  EXPECT_EQ(RequestLine(Id::FromInt(1), "m", "{\n \"a\": 1}"),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\","
            "\"params\":{  \"a\": 1}}\n");
  EXPECT_EQ(RequestLine(Id::FromString("a"), "m", "", VersionMember::kOmitted),
            "{\"id\":\"a\",\"method\":\"m\"}\n");
  EXPECT_EQ(NotificationLine("m", "{}", VersionMember::kOmitted),
            "{\"method\":\"m\",\"params\":{}}\n");
  EXPECT_EQ(ResponseLine(Id::FromInt(0), "null", VersionMember::kOmitted),
            "{\"id\":0,\"result\":null}\n");
  EXPECT_EQ(ErrorLine(Id(), {kMethodNotFound, "no \"m\""}),
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,"
            "\"message\":\"no \\\"m\\\"\"}}\n");
  EXPECT_EQ(ErrorLine(Id::FromInt(2), {1, "", "[1]"}, VersionMember::kOmitted),
            "{\"id\":2,\"error\":{\"code\":1,\"message\":\"\","
            "\"data\":[1]}}\n");
}

// The id of a request is echoed as it was spelled.
TEST(RpcMessageTest, EchoesTheIdOfARequest) {
  for (const absl::string_view id :
       {"0", "-1", "9223372036854775807", "1.0", R"("x y")", R"("\n")"}) {
    json::Parser parser;
    const std::string line = absl::StrCat(R"({"method":"m","id":)", id, "}");
    const Message message = Parse(*parser.Parse(line));
    EXPECT_EQ(ResponseLine(message.id, "{}", VersionMember::kOmitted),
              absl::StrCat(R"({"id":)", id, R"(,"result":{}})", "\n"));
  }
}

}  // namespace
}  // namespace troika::rpc
