#include "agent/codex/msg_events.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/codex/parse.h"
#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::codex {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Runs messages of the old dialect, which are given as their fields.
std::vector<Message> RunMsgs(const std::vector<std::string>& msgs) {
  std::string stream;
  for (const std::string& msg : msgs) {
    absl::StrAppend(&stream, R"({"id":"0","msg":{)", msg, "}}\n");
  }
  const std::unique_ptr<Protocol> protocol = NewExecProtocol({});
  std::vector<Message> messages = RunStream(*protocol, stream);
  EXPECT_THAT(BrokenRules(messages), IsEmpty());
  return messages;
}

constexpr char kStarted[] = R"("type":"task_started")";

TEST(CodexMsgEventsTest, SettingsAndPrompt) {
  const std::unique_ptr<Protocol> protocol = NewExecProtocol({});
  const auto messages = RunStream(
      *protocol,
      R"({"model":"m","workdir":"/w","sandbox":"read-only","approval":"never"}
{"prompt":"do it"})");
  EXPECT_EQ(Payloads<Init>(messages)[0].model, "m");
  EXPECT_EQ(Payloads<Init>(messages)[0].cwd, "/w");
  EXPECT_EQ(Payloads<UserInput>(messages)[0].text, "do it");
  EXPECT_THAT(Payloads<Result>(messages), IsEmpty());
}

TEST(CodexMsgEventsTest, PromptThatWasToldIsNotToldAgain) {
  const std::unique_ptr<Protocol> protocol = NewExecProtocol({});
  std::vector<Message> messages;
  protocol->OnNote({.number = 1}, TurnAsked{.prompt = "do it"},
                   [&](Message&& m) { messages.push_back(std::move(m)); });
  EXPECT_THAT(Payloads<UserInput>(messages), SizeIs(1));
  messages = RunStream(*protocol, R"({"model":"m","workdir":"/w"}
{"prompt":"do it"})");
  EXPECT_THAT(Payloads<Init>(messages), SizeIs(1));
  EXPECT_THAT(Payloads<UserInput>(messages), IsEmpty());
}

TEST(CodexMsgEventsTest, CommandWithOutputAsItComes) {
  const auto messages = RunMsgs(
      {kStarted,
       R"("type":"exec_command_begin","call_id":"c","command":["bash","-lc","echo 'hi'"])",
       R"("type":"exec_command_output_delta","call_id":"c","stream":"stdout","chunk":"aGkK")",
       R"("type":"exec_command_output_delta","call_id":"c","stream":"stdout","chunk":"!")",
       R"("type":"exec_command_end","call_id":"c","stdout":"hi\n","stderr":"e","exit_code":2,"duration":{"secs":1,"nanos":500000000})"});
  const auto use = Payloads<ToolUse>(messages)[0];
  EXPECT_EQ(use.name, "Bash");
  EXPECT_EQ(use.input_json, R"({"command":"bash -lc 'echo '\\''hi'\\'''"})");
  EXPECT_EQ(Payloads<ToolOutputDelta>(messages)[0].text, "hi\n");
  EXPECT_THAT(Payloads<Raw>(messages), SizeIs(1)) << "not base64";
  const auto result = Payloads<ToolResult>(messages)[0];
  EXPECT_EQ(result.output, "hi\ne");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.duration, absl::Milliseconds(1500));
}

TEST(CodexMsgEventsTest, PatchesAreWrittenLikeNewOnes) {
  const auto messages = RunMsgs(
      {kStarted,
       R"("type":"patch_apply_begin","call_id":"c","changes":{"/a":{"add":{"content":"x"}},"/b":{"update":{"unified_diff":"d","move_path":null}}})",
       R"("type":"patch_apply_end","call_id":"c","stdout":"ok","stderr":"","success":true)"});
  const auto use = Payloads<ToolUse>(messages)[0];
  EXPECT_EQ(use.name, "Edit");
  EXPECT_EQ(
      use.input_json,
      R"({"changes":[{"path":"/a","kind":"add","content":"x"},{"path":"/b","kind":"update","unified_diff":"d","move_path":null}]})");
  EXPECT_EQ(Payloads<ToolResult>(messages)[0].output, "ok");
}

TEST(CodexMsgEventsTest, StreamEndIsAGoodEnd) {
  const auto messages = RunMsgs(
      {kStarted, R"("type":"agent_message","message":"done")",
       R"("type":"token_count","info":{"total_token_usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}})"});
  const auto results = Payloads<Result>(messages);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_TRUE(results[0].synthetic);
  EXPECT_FALSE(results[0].is_error);
  EXPECT_EQ(results[0].text, "done");
  EXPECT_EQ(results[0].usage.total.cached, 4);
  EXPECT_EQ(results[0].usage.turn->input, 6);
}

TEST(CodexMsgEventsTest, StreamEndAfterAnErrorOrInACommandIsNot) {
  const auto failed = Payloads<Result>(
      RunMsgs({kStarted, R"("type":"error","message":"401")"}));
  EXPECT_TRUE(failed[0].is_error);
  EXPECT_EQ(failed[0].error, "401");
  const auto cut = Payloads<Result>(RunMsgs(
      {kStarted, R"("type":"exec_command_begin","call_id":"c","command":[])"}));
  EXPECT_TRUE(cut[0].is_error);
}

TEST(CodexMsgEventsTest, DeltasShareTheBlockOfTheirMessage) {
  const auto messages =
      RunMsgs({R"("type":"agent_message_delta","delta":"a")",
               R"("type":"agent_message_delta","delta":"b")",
               R"("type":"agent_message","message":"ab")",
               R"("type":"agent_message","message":"alone")"});
  ASSERT_THAT(messages, SizeIs(4));
  EXPECT_EQ(messages[0].block_id, "text-1");
  EXPECT_EQ(messages[1].block_id, "text-1");
  EXPECT_EQ(messages[2].block_id, "text-1");
  EXPECT_EQ(messages[3].block_id, "");
}

TEST(CodexMsgEventsTest, SettingsBeginAnotherProcess) {
  const std::string stream =
      R"({"model":"m","workdir":"/w","sandbox":"read-only"}
{"id":"0","msg":{"type":"task_started"}}
{"id":"0","msg":{"type":"token_count","info":{"total_token_usage":{"input_tokens":10}}}}
)";
  const std::unique_ptr<Protocol> protocol = NewExecProtocol({});
  const auto messages = RunStream(*protocol, stream + stream);
  const auto results = Payloads<Result>(messages);
  ASSERT_THAT(results, SizeIs(2));
  for (const Result& result : results) {
    EXPECT_FALSE(result.is_error);
    EXPECT_EQ(result.usage.turn->input, 10);
  }
  EXPECT_TRUE(std::holds_alternative<Result>(messages[3].payload))
      << "the first turn ends before the second process begins";
}

TEST(CodexMsgEventsTest, EndWithoutATurnAndRateLimitsAloneAreRaw) {
  const auto messages = RunMsgs(
      {kStarted, R"("type":"task_complete")", R"("type":"task_complete")",
       R"("type":"token_count","info":null,"rate_limits":{"primary":{}})"});
  EXPECT_THAT(Payloads<Result>(messages), SizeIs(1));
  EXPECT_THAT(Payloads<Raw>(messages), SizeIs(2));
}

TEST(CodexMsgEventsTest, UnknownMessagesAreRaw) {
  const auto messages = RunMsgs({R"("type":"hologram")"});
  EXPECT_EQ(Payloads<Raw>(messages)[0].type, "msg/hologram");
}

}  // namespace
}  // namespace troika::codex
