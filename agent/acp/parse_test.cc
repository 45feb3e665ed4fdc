// Tests what the agent's lines become.
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/acp/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::acp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Chunk(absl::string_view type, absl::string_view text) {
  return absl::StrCat(R"({"sessionUpdate":")", type,
                      R"(","content":{"type":"text","text":")", text, "\"}}");
}

std::string Reply(absl::string_view result) {
  return absl::StrCat(R"({"jsonrpc":"2.0","id":2,)", result, "}");
}

TEST(AcpParseTest, FragmentsAreOneTextUpToTheNextOtherUpdate) {
  Conversation c;
  c.Open();
  c.Update(Chunk("agent_thought_chunk", "h"))
      .Update(Chunk("agent_thought_chunk", "m"))
      .Update(Chunk("agent_message_chunk", "a"))
      .Update(R"({"sessionUpdate":"available_commands_update"})")
      .Update(Chunk("agent_message_chunk", "b"))
      .Update(R"({"sessionUpdate":"plan","entries":[]})")
      .Update(Chunk("agent_message_chunk", "c"))
      .Receive(Reply(R"("result":{"stopReason":"end_turn"})"));
  ASSERT_THAT(c.All<Thinking>(), SizeIs(1));
  EXPECT_EQ(c.All<Thinking>()[0].text, "hm");
  ASSERT_THAT(c.All<Text>(), SizeIs(2));
  EXPECT_EQ(c.All<Text>()[0].text, "ab");
  EXPECT_EQ(c.All<Text>()[1].text, "c");
  EXPECT_EQ(c.All<Result>()[0].text, "c");
  std::string block;
  for (const Message& m : c.messages()) {
    if (std::holds_alternative<TextDelta>(m.payload)) block = m.block_id;
    if (std::holds_alternative<Text>(m.payload)) {
      EXPECT_EQ(m.block_id, block);
    }
  }
  EXPECT_THAT(c.DriftSeen(), IsEmpty());
}

TEST(AcpParseTest, ToolsBeginAndEnd) {
  Conversation c;
  c.Open();
  c.Update(
      R"({"sessionUpdate":"tool_call","toolCallId":"read_file__1","status":"in_progress","title":"README.md","content":[],"locations":[{"path":"/w/README.md"}],"kind":"read"})");
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"read_file__1","status":"completed","title":"README.md","content":[{"type":"content","content":{"type":"text","text":"Read 3 lines"}}],"kind":"read"})");
  const auto uses = c.All<ToolUse>();
  ASSERT_THAT(uses, SizeIs(1));
  EXPECT_EQ(uses[0].name, "Read");
  EXPECT_EQ(uses[0].native_name, "read_file");
  EXPECT_EQ(uses[0].input_json,
            R"({"file_path":"/w/README.md","title":"README.md"})");
  ASSERT_THAT(c.All<ToolResult>(), SizeIs(1));
  EXPECT_EQ(c.All<ToolResult>()[0].output, "Read 3 lines");
  EXPECT_FALSE(c.All<ToolResult>()[0].is_error);
  // Later words about it are not believed.
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"read_file__1","status":"failed"})");
  ASSERT_THAT(c.All<Raw>(), SizeIs(1));
  EXPECT_EQ(c.All<Raw>()[0].reason, "the tool has its result already");
}

TEST(AcpParseTest, WhatIsKeptOfCallsIsBounded) {
  Conversation c;
  c.Open();
  const std::string kLong(size_t{15} << 20, 'x');
  for (int i = 0; i < 6; ++i) {
    c.Update(absl::StrCat(
        R"({"sessionUpdate":"tool_call","toolCallId":"t)", i,
        R"(","status":"in_progress","title":"x","rawInput":{"a":")", kLong,
        "\"}}"));
  }
  EXPECT_THAT(c.All<ToolUse>(), SizeIs(5));
  EXPECT_THAT(c.All<Raw>(), SizeIs(1));
  // One that ends makes room.
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t0","status":"completed"})");
  EXPECT_THAT(c.All<ToolResult>(), SizeIs(1));
  c.Update(
      R"({"sessionUpdate":"tool_call","toolCallId":"t6","status":"in_progress","title":"x"})");
  EXPECT_THAT(c.All<ToolUse>(), SizeIs(6));
}

TEST(AcpParseTest, ARequestThatIsTooLongIsRefused) {
  Conversation c;
  c.Open().ReceiveLong(
      R"({"jsonrpc":"2.0","id":"p1","method":"session/request_permission",)"
      R"("params":{"sessionId":)");
  EXPECT_THAT(c.WriteNext(), HasSubstr(R"("id":"p1","error":{"code":-32600)"));
  EXPECT_THAT(c.All<Notice>().back().text, HasSubstr("too long"));
  c.ReceiveLong(R"({"jsonrpc":"2.0","method":"session/update","params":{)");
  EXPECT_EQ(c.WriteNext(), "");
}

TEST(AcpParseTest, ARequestAfterTheTurnIsCancelled) {
  Conversation c;
  c.Open().Receive(
      R"({"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}})");
  ASSERT_THAT(c.All<Result>(), SizeIs(1));
  c.Receive(
      R"({"jsonrpc":"2.0","id":"p1","method":"session/request_permission",)"
      R"("params":{"sessionId":"s1","toolCall":{"toolCallId":"t"},)"
      R"("options":[]}})");
  EXPECT_THAT(c.WriteNext(), HasSubstr(R"({"outcome":"cancelled"})"));
  EXPECT_THAT(c.All<Approval>(), IsEmpty());
  EXPECT_THAT(c.All<ToolUse>(), IsEmpty());
}

TEST(AcpParseTest, NamesOfMcpTools) {
  Conversation c;
  c.Open().Update(
      R"({"sessionUpdate":"tool_call","toolCallId":"mcp_files_echo__1","status":"in_progress","title":"echo","kind":"other"})");
  EXPECT_EQ(c.All<ToolUse>()[0].name, "echo");
  EXPECT_EQ(c.All<ToolUse>()[0].server, "files");
}

// Gemini CLI announces no call whose input is wrong.
TEST(AcpParseTest, AnUpdateWithoutACallIsOne) {
  Conversation c;
  c.Open().Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"replace__1","status":"failed","content":[{"type":"content","content":{"type":"text","text":"no such file"}}],"kind":"edit"})");
  ASSERT_THAT(c.All<ToolUse>(), SizeIs(1));
  EXPECT_EQ(c.All<ToolUse>()[0].name, "Edit");
  ASSERT_THAT(c.All<ToolResult>(), SizeIs(1));
  EXPECT_EQ(c.All<ToolResult>()[0].output, "no such file");
  EXPECT_TRUE(c.All<ToolResult>()[0].is_error);
}

// claude-agent-acp tells the input after the call.
TEST(AcpParseTest, ACallIsToldWhenItsInputIsKnown) {
  Conversation c;
  c.Open().Update(
      R"({"sessionUpdate":"tool_call","toolCallId":"t","status":"pending","title":"Terminal","kind":"execute","rawInput":{},"_meta":{"claudeCode":{"toolName":"Bash"}}})");
  EXPECT_THAT(c.All<ToolUse>(), IsEmpty());
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","title":"ls","rawInput":{"command":"ls"}})");
  ASSERT_THAT(c.All<ToolUse>(), SizeIs(1));
  EXPECT_EQ(c.All<ToolUse>()[0].native_name, "Bash");
  EXPECT_EQ(c.All<ToolUse>()[0].input_json, R"({"command":"ls"})");
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"a"}}]})");
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"ab"}}]})");
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","rawOutput":{"exit_code":3}})");
  const auto deltas = c.All<ToolOutputDelta>();
  ASSERT_THAT(deltas, SizeIs(2));
  EXPECT_EQ(deltas[0].text + deltas[1].text, "ab");
  EXPECT_EQ(c.All<ToolResult>()[0].output, "ab");
  EXPECT_EQ(c.All<ToolResult>()[0].exit_code, 3);
}

TEST(AcpParseTest, ACallThatIsOnlyAnnouncedGetsAResult) {
  Conversation c;
  c.Open().Update(
      R"({"sessionUpdate":"tool_call","toolCallId":"t","status":"pending","title":"x","kind":"other"})");
  c.Receive(Reply(R"("result":{"stopReason":"end_turn"})"));
  EXPECT_THAT(c.All<ToolUse>(), SizeIs(1));
  EXPECT_EQ(BrokenRules(c.messages()), "");
}

TEST(AcpParseTest, PlansModesAndNotices) {
  Conversation c;
  c.Open();
  c.Update(
      R"({"sessionUpdate":"plan","entries":[{"content":"A","priority":"high","status":"completed"},{"content":"B","priority":"low","status":"in_progress"}]})");
  c.Update(R"({"sessionUpdate":"current_mode_update","currentModeId":"plan"})");
  c.Update(
      R"({"sessionUpdate":"notice","severity":"error","title":"T","description":"D"})");
  ASSERT_THAT(c.All<Todo>(), SizeIs(1));
  EXPECT_EQ(c.All<Todo>()[0].items[1].text, "B");
  EXPECT_EQ(c.All<Todo>()[0].items[1].status, Todo::Status::kInProgress);
  const auto notices = c.All<Notice>();
  ASSERT_THAT(notices, SizeIs(2));
  EXPECT_EQ(notices[0].text, "mode plan");
  EXPECT_EQ(notices[1].text, "T: D");
  EXPECT_EQ(notices[1].kind, Notice::Kind::kError);
  EXPECT_THAT(c.DriftSeen(), IsEmpty());
}

TEST(AcpParseTest, UnknownThingsAreRawAndDrift) {
  Conversation c;
  c.Open();
  c.Update(R"({"sessionUpdate":"dance","steps":3})");
  c.Receive(R"({"method":"session/sing","params":{}})");
  c.Receive(R"({"method":"_own/song","params":{}})");
  c.Receive(R"({"id":99,"result":{}})");
  c.Receive("Loaded cached credentials.");
  c.Receive("[1]");
  c.Receive(R"({"a":1})");
  EXPECT_THAT(c.All<Raw>(), SizeIs(6));
  EXPECT_EQ(c.All<Raw>()[0].type, "session/update/dance");
  EXPECT_EQ(c.All<Raw>()[1].type, "session/sing");
  EXPECT_EQ(c.All<Raw>()[2].type, "_own/song");
  EXPECT_EQ(c.All<Raw>()[3].reason, "no request of this id is open");
  EXPECT_EQ(c.All<Raw>()[5].type, "");
  EXPECT_THAT(c.All<ParseError>(), SizeIs(1));
  EXPECT_THAT(c.DriftSeen(), SizeIs(5));
}

TEST(AcpParseTest, EveryOtherRequestGetsAnError) {
  for (const absl::string_view method :
       {"fs/read_text_file", "fs/write_text_file", "terminal/create",
        "terminal/output", "terminal/kill", "elicitation/create", "x/y"}) {
    Conversation c;
    c.Open().Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":7,"method":")",
                                  method, R"(","params":{}})"));
    EXPECT_EQ(
        c.WriteNext(),
        absl::StrCat(
            R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"not offered: )",
            method, "\"}}"));
    EXPECT_THAT(c.All<Raw>(), SizeIs(1));
  }
  Conversation c;
  c.Open().Receive(R"({"id":"q","method":5})");
  EXPECT_THAT(c.WriteNext(), HasSubstr(R"("id":"q","error":{"code":-32600)"));
  c.Receive(R"({"id":{},"method":"session/request_permission"})");
  EXPECT_THAT(c.WriteNext(), HasSubstr(R"("id":null,"error":{"code":-32600)"));
  c.Receive(R"({"id":1.5,"method":"fs/read_text_file"})");
  EXPECT_THAT(c.WriteNext(), HasSubstr(R"("id":1.5,"error":{"code":-32601)"));
  // Replies that nobody reads are bounded, however they come about.
  for (int i = 0; i < 3000; ++i) c.Receive(R"({"id":1,"method":5})");
  EXPECT_LE(c.protocol().outbox().size(), 1024u);
}

TEST(AcpParseTest, ResultsSayHowTheTurnEnded) {
  const struct {
    absl::string_view reply;
    absl::string_view error;
    absl::string_view reason;
  } kCases[] = {
      {R"("result":{"stopReason":"end_turn"})", "", "end_turn"},
      {R"("result":{"stopReason":"cancelled"})", "interrupted", "cancelled"},
      {R"("result":{"stopReason":"max_tokens"})",
       "the limit of tokens was reached", "max_tokens"},
      {R"("result":{"stopReason":"max_turn_requests"})",
       "the limit of requests to the model was reached", "max_turn_requests"},
      {R"("result":{"stopReason":"refusal"})", "the agent refuses to go on",
       "refusal"},
      {R"("result":{"stopReason":"new"})",
       "the turn ended for an unknown reason: new", "new"},
      {R"("error":{"code":429,"message":"quota"})", "quota (HTTP 429)", "429"},
      {R"("error":{"code":-32602,"message":"Session not found"})",
       "Session not found", "-32602"},
      {R"("error":{"code":500,"message":"Internal error","data":{"details":"why"}})",
       "why (HTTP 500)", "500"},
      {R"("error":{"code":1,"message":"a","data":"b"})", "a: b", "1"},
      {R"("error":{"code":7})", "error 7", "7"},
  };
  for (const auto& test : kCases) {
    Conversation c;
    c.Open().Receive(Reply(test.reply));
    const auto results = c.All<Result>();
    ASSERT_THAT(results, SizeIs(1)) << test.reply;
    EXPECT_EQ(results[0].is_error, !test.error.empty()) << test.reply;
    EXPECT_EQ(results[0].error, test.error);
    EXPECT_EQ(results[0].reason, test.reason);
    EXPECT_FALSE(results[0].synthetic);
  }
}

TEST(AcpParseTest, UsageIsThatOfTheTurn) {
  Conversation c;
  c.Open().Receive(Reply(
      R"("result":{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":101,"output_tokens":11},"model_usage":[]}}})"));
  ASSERT_THAT(c.All<Usage>(), SizeIs(1));
  EXPECT_EQ(*c.All<Usage>()[0].turn, (TokenCounts{.input = 101, .output = 11}));
  c.Notify(TurnAsked{.turn = 2, .prompt = "more"}).WriteAll();
  c.Receive(
      R"({"id":3,"result":{"stopReason":"end_turn","usage":{"totalTokens":21,"inputTokens":1,"outputTokens":2,"thoughtTokens":3,"cachedReadTokens":5,"cachedWriteTokens":10}}})");
  EXPECT_EQ(*c.All<Usage>()[1].turn, (TokenCounts{.input = 1,
                                                  .cached = 5,
                                                  .cache_write = 10,
                                                  .output = 5,
                                                  .reasoning = 3}));
  EXPECT_EQ(c.All<Result>()[1].usage.total.input, 102);
  EXPECT_THAT(c.DriftSeen(), IsEmpty());
}

TEST(AcpParseTest, TheEchoOfAPromptIsNotSaidTwice) {
  Conversation c;
  c.Open()
      .Update(Chunk("user_message_chunk", "go"))
      .Update(Chunk("user_message_chunk", "another voice"));
  const auto inputs = c.All<UserInput>();
  ASSERT_THAT(inputs, SizeIs(2));
  EXPECT_EQ(inputs[0].text, "go");
  EXPECT_EQ(inputs[1].text, "another voice");
}

TEST(AcpParseTest, OtherSessionsAndOtherTimesAreNotOfTheTurn) {
  Conversation c;
  c.Open().Receive(
      R"({"method":"session/update","params":{"sessionId":"other","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}})");
  EXPECT_EQ(c.All<Raw>()[0].reason, "of another session");
  c.Receive(Reply(R"("result":{"stopReason":"end_turn"})"));
  c.Update(
      R"({"sessionUpdate":"tool_call","toolCallId":"t","status":"in_progress","title":"x"})");
  EXPECT_EQ(c.All<Raw>()[1].reason, "no turn is open");
  EXPECT_THAT(c.All<ToolUse>(), IsEmpty());
  EXPECT_EQ(BrokenRules(c.End().messages()), "");
}

}  // namespace
}  // namespace troika::acp
