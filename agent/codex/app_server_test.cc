// Tests the notifications of app-server.

#include "agent/codex/app_server.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "agent/codex/app_server_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::codex {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Notify(absl::string_view method, absl::string_view members) {
  return absl::StrCat(R"({"method":")", method,
                      R"(","params":{"threadId":"t","turnId":"u1",)", members,
                      R"(},"emittedAtMs":1})");
}

std::string Usage(int input, int cached, int output) {
  return Notify(
      "thread/tokenUsage/updated",
      absl::StrCat(R"("tokenUsage":{"total":{"totalTokens":1,"inputTokens":)",
                   input, R"(,"cachedInputTokens":)", cached,
                   R"(,"outputTokens":)", output, "}}"));
}

TEST(AppServerTest, DeltasShareTheBlockOfTheirText) {
  AppConversation talk;
  talk.Begin();
  for (int i = 0; i < 2; ++i) {
    // Ids of messages repeat.
    talk.Receive(
        Notify("item/agentMessage/delta", R"("itemId":"m","delta":"He")"));
    talk.Receive(
        Notify("item/agentMessage/delta", R"("itemId":"m","delta":"y")"));
    talk.Item("completed", R"({"type":"agentMessage","id":"m","text":"Hey"})");
  }
  const std::vector<Message>& m = talk.messages();
  ASSERT_THAT(m, SizeIs(6));
  EXPECT_FALSE(m[0].block_id.empty());
  EXPECT_EQ(m[0].block_id, m[1].block_id);
  EXPECT_EQ(m[0].block_id, m[2].block_id);
  EXPECT_EQ(m[3].block_id, m[5].block_id);
  EXPECT_NE(m[0].block_id, m[3].block_id);
  talk.Item("completed", R"({"type":"agentMessage","id":"n","text":"Bye"})");
  EXPECT_EQ(m[6].block_id, "");
  talk.Completed();
  EXPECT_EQ(talk.All<Result>()[0].text, "Bye");
  EXPECT_EQ(talk.All<Result>()[0].reason, "completed");
}

TEST(AppServerTest, ReasoningIsThinking) {
  AppConversation talk;
  talk.Begin()
      .Receive(Notify("item/reasoning/summaryPartAdded",
                      R"("itemId":"r","summaryIndex":0)"))
      .Receive(Notify("item/reasoning/summaryTextDelta",
                      R"("itemId":"r","summaryIndex":0,"delta":"a")"))
      .Receive(Notify("item/reasoning/summaryPartAdded",
                      R"("itemId":"r","summaryIndex":1)"))
      .Receive(Notify("item/reasoning/summaryTextDelta",
                      R"("itemId":"r","summaryIndex":1,"delta":"b")"))
      .Item("completed",
            R"({"type":"reasoning","id":"r","summary":["a","","b"],)"
            R"("content":[]})");
  std::string deltas;
  for (const ThinkingDelta& delta : talk.All<ThinkingDelta>()) {
    absl::StrAppend(&deltas, delta.text);
  }
  ASSERT_THAT(talk.All<Thinking>(), SizeIs(1));
  EXPECT_EQ(talk.All<Thinking>()[0].text, "a\nb");
  EXPECT_EQ(deltas, "a\nb");
  talk.Item("completed", R"({"type":"reasoning","id":"e","summary":[]})");
  EXPECT_THAT(talk.All<Thinking>(), SizeIs(1));
}

TEST(AppServerTest, ToolsHaveTheNamesOfExec) {
  const struct {
    absl::string_view item;
    absl::string_view name;
  } kCases[] = {
      {R"({"type":"commandExecution","command":"ls")", "Bash"},
      {R"({"type":"fileChange","changes":[{"path":"a","kind":{"type":"add"}}])",
       "Write"},
      {R"({"type":"fileChange","changes":[])", "Edit"},
      {R"({"type":"mcpToolCall","server":"s","tool":"poke")", "poke"},
      {R"({"type":"webSearch","query":"x")", "WebSearch"},
      {R"({"type":"collabAgentToolCall","tool":"spawnAgent")", "Agent"},
      {R"({"type":"dynamicToolCall","tool":"mine")", "mine"},
      {R"({"type":"imageView","path":"/a.png")", "image_view"},
  };
  for (const auto& c : kCases) {
    AppConversation talk;
    talk.Begin();
    talk.Item("started", absl::StrCat(c.item, R"(,"id":"x"})"));
    talk.Item("completed",
              absl::StrCat(c.item, R"(,"id":"x","status":"completed"})"));
    ASSERT_THAT(talk.All<ToolUse>(), SizeIs(1)) << c.item;
    EXPECT_EQ(talk.All<ToolUse>()[0].name, c.name);
    ASSERT_THAT(talk.All<ToolResult>(), SizeIs(1)) << c.item;
    EXPECT_THAT(talk.DriftSeen(), IsEmpty());
  }
}

TEST(AppServerTest, ACommandStreamsItsOutput) {
  AppConversation talk;
  talk.Begin()
      .Item("started", R"({"type":"commandExecution","id":"c","command":"ls"})")
      .Receive(Notify("item/commandExecution/outputDelta",
                      R"("itemId":"c","delta":"a\n")"))
      .Item("completed",
            R"({"type":"commandExecution","id":"c","command":"ls",)"
            R"("status":"failed","aggregatedOutput":"a\n","exitCode":2,)"
            R"("durationMs":15})");
  ASSERT_THAT(talk.All<ToolOutputDelta>(), SizeIs(1));
  EXPECT_EQ(talk.All<ToolOutputDelta>()[0].tool_use_id, "c");
  const ToolResult result = talk.All<ToolResult>()[0];
  EXPECT_EQ(result.output, "a\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.duration, absl::Milliseconds(15));
}

TEST(AppServerTest, ATurnsUsageIsTheDifferenceOfTotals) {
  AppConversation talk;
  talk.Begin().Receive(Usage(100, 40, 5)).Receive(Usage(150, 60, 8));
  talk.Completed();
  talk.Prompt("more").Flush();
  talk.Receive(R"({"id":4,"result":{"turn":{"id":"u2"}}})");
  talk.Receive(Usage(160, 60, 9)).Completed("u2");
  // Each total is told within the turn, and the last one again at its end.
  const auto usages = talk.All<troika::Usage>();
  ASSERT_THAT(usages, SizeIs(5));
  EXPECT_EQ(*usages[0].turn,
            (TokenCounts{.input = 60, .cached = 40, .output = 5}));
  EXPECT_EQ(usages[1], usages[2]);
  EXPECT_EQ(*usages[2].turn,
            (TokenCounts{.input = 90, .cached = 60, .output = 8}));
  EXPECT_EQ(usages[3], usages[4]);
  EXPECT_EQ(*usages[4].turn, (TokenCounts{.input = 10, .output = 1}));
  EXPECT_EQ(talk.All<Result>()[1].usage.total,
            (TokenCounts{.input = 100, .cached = 60, .output = 9}));
}

TEST(AppServerTest, OnlyTheTurnsEndIsFatal) {
  AppConversation talk;
  talk.Begin()
      .Receive(
          Notify("error", R"("error":{"message":"gone"},"willRetry":true)"))
      .Receive(
          Notify("error", R"("error":{"message":"bad"},"willRetry":false)"));
  ASSERT_THAT(talk.All<Notice>(), SizeIs(2));
  EXPECT_EQ(talk.All<Notice>()[0].kind, Notice::Kind::kRetrying);
  EXPECT_EQ(talk.All<Notice>()[1].kind, Notice::Kind::kError);
  EXPECT_THAT(talk.All<Result>(), IsEmpty());
  talk.Completed("u1", "failed");
  EXPECT_EQ(talk.All<Result>()[0].error, "bad");
  EXPECT_EQ(talk.All<Result>()[0].reason, "failed");
  // No turn is open any more.
  talk.Completed("u1", "failed");
  EXPECT_THAT(talk.All<Result>(), SizeIs(1));
  EXPECT_THAT(talk.All<Raw>(), SizeIs(1));
}

TEST(AppServerTest, PlansDiffsAndLimits) {
  AppConversation talk;
  talk.Begin()
      .Receive(Notify("turn/plan/updated",
                      R"("explanation":null,"plan":[{"step":"a","status":)"
                      R"("completed"},{"step":"b","status":"inProgress"}])"))
      .Receive(Notify("turn/diff/updated", R"("diff":"d1")"))
      .Receive(Notify("turn/diff/updated", R"("diff":"d1")"))
      .Receive(Notify("turn/diff/updated", R"("diff":"d2")"));
  ASSERT_THAT(talk.All<Todo>(), SizeIs(1));
  EXPECT_EQ(talk.All<Todo>()[0].items[1].status, Todo::Status::kInProgress);
  EXPECT_THAT(talk.All<Diff>(), SizeIs(2));
  const std::string limits =
      R"({"method":"account/rateLimits/updated","params":{"rateLimits":)"
      R"({"primary":{"usedPercent":25,"windowDurationMins":300,)"
      R"("resetsAt":60},"secondary":null}}})";
  talk.Receive(limits).Receive(limits);
  ASSERT_THAT(talk.All<RateLimit>(), SizeIs(1));
  EXPECT_EQ(talk.All<RateLimit>()[0].window, "five_hour");
  EXPECT_EQ(talk.All<RateLimit>()[0].used, 0.25);
  EXPECT_EQ(talk.All<RateLimit>()[0].resets_at,
            absl::UnixEpoch() + absl::Minutes(1));
  EXPECT_THAT(talk.DriftSeen(), IsEmpty());
}

TEST(AppServerTest, Notices) {
  AppConversation talk;
  talk.Begin()
      .Receive(R"({"method":"configWarning","params":{"summary":"s",)"
               R"("details":"d"}})")
      .Receive(Notify("warning", R"("message":"w")"))
      .Receive(Notify("model/rerouted",
                      R"("fromModel":"a","toModel":"b","reason":"r")"))
      .Item("completed", R"({"type":"contextCompaction","id":"x"})")
      .Receive(Notify("mcpServer/startupStatus/updated",
                      R"("name":"m","status":"failed","error":"e")"))
      .Receive(Notify("mcpServer/startupStatus/updated",
                      R"("name":"m","status":"ready","error":null)"))
      .Receive(Notify("thread/status/changed", R"("status":{"type":"idle"})"));
  ASSERT_THAT(talk.All<Notice>(), SizeIs(5));
  EXPECT_EQ(talk.All<Notice>()[0].text, "s: d");
  EXPECT_EQ(talk.All<Notice>()[2].kind, Notice::Kind::kModelRerouted);
  EXPECT_EQ(talk.All<Notice>()[3].kind, Notice::Kind::kCompaction);
  EXPECT_THAT(talk.All<Notice>()[4].text, HasSubstr("could not be started: e"));
  talk.Receive(Notify("thread/invented", R"("x":1)"));
  ASSERT_THAT(talk.All<Raw>(), SizeIs(1));
  EXPECT_EQ(talk.All<Raw>()[0].type, "thread/invented");
  EXPECT_THAT(talk.DriftSeen(), SizeIs(2));
}

TEST(AppServerTest, ASubagentsMessagesHaveItsToolUseAsParent) {
  AppConversation talk;
  talk.Begin()
      .Item("started",
            R"({"type":"collabAgentToolCall","id":"s","tool":"spawnAgent",)"
            R"("prompt":"p","receiverThreadIds":[]})")
      .Receive(R"({"method":"thread/started","params":{"thread":{"id":"k",)"
               R"("parentThreadId":"t"}}})")
      .Receive(R"({"method":"turn/started","params":{"threadId":"k","turn":)"
               R"({"id":"ku"}}})")
      .Receive(R"({"method":"item/completed","params":{"threadId":"k",)"
               R"("turnId":"ku","item":{"type":"agentMessage","id":"m",)"
               R"("text":"child"}}})")
      .Receive(R"({"method":"turn/completed","params":{"threadId":"k","turn":)"
               R"({"id":"ku","status":"completed"}}})");
  ASSERT_THAT(talk.All<Text>(), SizeIs(1));
  EXPECT_EQ(talk.messages().back().parent_tool_use_id, "s");
  EXPECT_THAT(talk.All<Result>(), IsEmpty());
  talk.Completed();
  EXPECT_EQ(talk.All<Result>()[0].text, "");
}

TEST(AppServerTest, LinesThatAreNoMessagesAreRaw) {
  AppConversation talk;
  talk.Begin().Receive("{}").Receive("[1]").Receive("x").Receive(R"({"id":1})");
  EXPECT_THAT(talk.All<Raw>(), SizeIs(3));
  EXPECT_THAT(talk.All<ParseError>(), SizeIs(1));
  EXPECT_THAT(talk.Flush(), IsEmpty());
  // Somebody waits for a reply to these.
  talk.Receive(R"({"id":null,"method":"m"})").Receive(R"({"id":8,"method":5})");
  EXPECT_THAT(talk.All<Raw>(), SizeIs(5));
  EXPECT_THAT(talk.Flush(),
              AllOf(HasSubstr(R"({"id":null,"error":{"code":-32600)"),
                    HasSubstr(R"({"id":8,"error":{"code":-32600)")));
}

}  // namespace
}  // namespace troika::codex
