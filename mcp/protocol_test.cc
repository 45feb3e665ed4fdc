#include "mcp/protocol.h"

#include <string>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mcp/session_id.h"
#include "rpc/message.h"

namespace troika::mcp {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kStatelessCall =
    R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"x",)"
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientInfo":{"name":"claude-code"},)"
    R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},)"
    R"("extensions":{"io.modelcontextprotocol/tasks":{}}},)"
    R"("progressToken":0}}})";

class ProtocolTest : public ::testing::Test {
 protected:
  rpc::Message Read(absl::string_view text) {
    text_ = std::string(text);
    return rpc::Parse(*parser_.Parse(text_));
  }
  json::Value Json(absl::string_view text) {
    text_ = std::string(text);
    return *parser_.Parse(text_);
  }

  std::string text_;
  json::Parser parser_;
};

TEST_F(ProtocolTest, ReadsTheClientOfAStatelessRequest) {
  const rpc::Message message = Read(kStatelessCall);
  Client client;
  EXPECT_FALSE(ReadClient(message, &client).has_value());
  EXPECT_EQ(client, (Client{.generation = Generation::kStateless,
                            .version = "2026-07-28",
                            .name = "claude-code",
                            .elicitation = true,
                            .tasks = true}));
  EXPECT_EQ(ProgressToken(message), "0");
}

TEST_F(ProtocolTest, LeavesTheClientOfASessionAsItIs) {
  Client client = {.version = "2025-06-18", .name = "codex"};
  EXPECT_FALSE(ReadClient(Read(R"({"id":1,"method":"tools/list"})"), &client));
  EXPECT_EQ(client.name, "codex");
}

TEST_F(ProtocolTest, RefusesOtherVersionsAndIncompleteMeta) {
  Client client;
  const auto later = ReadClient(
      Read(R"({"id":1,"method":"x","params":{"_meta":)"
           R"({"io.modelcontextprotocol/protocolVersion":"2027-01-01"}}})"),
      &client);
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->error.code, kUnsupportedVersion);
  EXPECT_EQ(later->error.data_json,
            R"({"supported":["2026-07-28"],"requested":"2027-01-01"})");
  EXPECT_EQ(later->http_status, 400);
  const auto bare = ReadClient(
      Read(R"({"id":1,"method":"x","params":{"_meta":)"
           R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})"),
      &client);
  ASSERT_TRUE(bare.has_value());
  EXPECT_EQ(bare->error.code, rpc::kInvalidParams);
  EXPECT_THAT(bare->error.message, HasSubstr("clientCapabilities"));
}

TEST_F(ProtocolTest, AnswersInitializeWithAVersionOfSessions) {
  const struct {
    absl::string_view asked;
    absl::string_view answered;
  } kCases[] = {{"2025-11-25", "2025-11-25"}, {"2025-06-18", "2025-06-18"},
                {"2024-11-05", "2024-11-05"}, {"2026-07-28", "2025-11-25"},
                {"", "2025-11-25"},           {"1.0", "2025-11-25"}};
  for (const auto& test : kCases) {
    const Client client = ReadInitialize(
        Json(absl::StrCat(R"({"protocolVersion":")", test.asked, R"("})")));
    EXPECT_EQ(client.version, test.answered) << test.asked;
  }
}

TEST_F(ProtocolTest, KnowsWhoseUserCanBeAsked) {
  const struct {
    absl::string_view elicitation;
    bool can;
  } kCases[] = {{"{}", true},
                {R"({"form":{}})", true},
                {R"({"form":{},"url":{}})", true},
                {R"({"url":{}})", false},
                {"null", false}};
  for (const auto& test : kCases) {
    const Client client = ReadInitialize(Json(absl::StrCat(
        R"({"capabilities":{"elicitation":)", test.elicitation, "}}")));
    EXPECT_EQ(client.elicitation, test.can) << test.elicitation;
  }
}

TEST_F(ProtocolTest, ComparesHeadersWithTheMessage) {
  const rpc::Message message = Read(kStatelessCall);
  Client client;
  ASSERT_FALSE(ReadClient(message, &client).has_value());
  const MirrorHeaders good = {
      .version = "2026-07-28", .method = "tools/call", .name = "x"};
  EXPECT_FALSE(CheckHeaders(message, client, good).has_value());
  MirrorHeaders encoded = good;
  encoded.name = "=?base64?eA==?=";
  EXPECT_FALSE(CheckHeaders(message, client, encoded).has_value());
  EXPECT_FALSE(CheckVersionHeader(message, "2026-07-28").has_value());
  EXPECT_EQ(CheckVersionHeader(message, "2025-11-25")->error.code,
            kHeaderMismatch);
  for (const MirrorHeaders& bad :
       {MirrorHeaders{},
        {.version = "2026-07-28", .method = "tools/list", .name = "x"},
        {.version = "2026-07-28", .method = "tools/call"},
        {.version = "2026-07-28", .method = "tools/call", .name = "y"},
        {.version = "2026-07-28",
        .method = "tools/call",
        .name = "=?base64?!?="}}) {
    const auto fault = CheckHeaders(message, client, bad);
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->error.code, kHeaderMismatch);
    EXPECT_EQ(fault->http_status, 400);
  }
}

TEST_F(ProtocolTest, ASessionIdHoldsWhatItsClientDeclared) {
  const Session session = {.client = {.version = "2025-06-18",
                                      .name = "codex-mcp-client",
                                      .elicitation = true},
                           .random = std::string(32, 'a')};
  const std::string id = SessionId(session);
  EXPECT_EQ(ReadSessionId(id), session);
  for (const std::string& bad :
       {std::string(), std::string("x"), id + "A", id.substr(1),
        std::string(5000, 'a'),
        SessionId({.client = {.version = "2026-07-28"},
        .random = std::string(32, 'a')}),
        SessionId({.client = session.client, .random = "short"})}) {
    EXPECT_FALSE(ReadSessionId(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace troika::mcp
