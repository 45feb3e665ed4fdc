#include "agent/codex/items.h"

#include <string>
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

std::vector<Message> RunItems(const std::vector<std::string>& events,
                              Drift* drift = nullptr) {
  std::string stream = R"({"type":"turn.started"})";
  for (const std::string& event : events) absl::StrAppend(&stream, "\n", event);
  absl::StrAppend(&stream, "\n", R"({"type":"turn.completed","usage":{}})");
  ProtocolOptions options;
  options.drift = drift;
  const std::unique_ptr<Protocol> protocol = NewExecProtocol(options);
  std::vector<Message> messages = RunStream(*protocol, stream);
  EXPECT_THAT(BrokenRules(messages), IsEmpty());
  return messages;
}

std::string Started(absl::string_view fields) {
  return absl::StrCat(R"({"type":"item.started","item":{"id":"item_0",)",
                      fields, "}}");
}
std::string Done(absl::string_view fields) {
  return absl::StrCat(R"({"type":"item.completed","item":{"id":"item_0",)",
                      fields, "}}");
}

TEST(CodexItemsTest, CommandInTwoPhases) {
  const auto messages = RunItems(
      {Started(
           R"("type":"command_execution","command":"ls \"a\"","aggregated_output":"","exit_code":null,"status":"in_progress")"),
       Done(
           R"("type":"command_execution","command":"ls \"a\"","aggregated_output":"a\n","exit_code":3,"status":"failed")")});
  const auto use = Payloads<ToolUse>(messages)[0];
  EXPECT_EQ(use.id, "item_0");
  EXPECT_EQ(use.name, "Bash");
  EXPECT_EQ(use.native_name, "command_execution");
  EXPECT_EQ(use.input_json, R"({"command":"ls \"a\""})");
  const auto result = Payloads<ToolResult>(messages)[0];
  EXPECT_EQ(result.tool_use_id, "item_0");
  EXPECT_EQ(result.output, "a\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(result.is_error);
}

TEST(CodexItemsTest, DeclinedCommandHasNoExitCode) {
  const auto result = Payloads<ToolResult>(RunItems({Done(
      R"("type":"command_execution","command":"x","exit_code":null,"status":"declined")")}))
      [0];
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.exit_code, std::nullopt);
  EXPECT_EQ(result.output, "declined");
}

TEST(CodexItemsTest, CommandLeftRunningGetsASyntheticResult) {
  const auto messages = RunItems({Started(
      R"("type":"command_execution","command":"sleep 9","status":"in_progress")")});
  const auto results = Payloads<ToolResult>(messages);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_TRUE(results[0].synthetic);
  EXPECT_FALSE(results[0].is_error);
}

TEST(CodexItemsTest, LateResultIsRaw) {
  const std::string fields =
      R"("type":"command_execution","command":"sleep 9","status":"completed")";
  const std::string turn_end = R"({"type":"turn.completed"})";
  const auto messages = RunItems(
      {Started(fields), turn_end, Done(fields), R"({"type":"turn.started"})"});
  EXPECT_THAT(Payloads<ToolResult>(messages), SizeIs(1));
  ASSERT_THAT(Payloads<Raw>(messages), SizeIs(1));
  EXPECT_EQ(Payloads<Raw>(messages)[0].type, "item.completed");
}

TEST(CodexItemsTest, SecondCompletionIsRaw) {
  const std::string done = Done(
      R"("type":"command_execution","command":"ls","exit_code":0,"status":"completed")");
  const auto messages = RunItems({done, done});
  EXPECT_THAT(Payloads<ToolUse>(messages), SizeIs(1));
  EXPECT_THAT(Payloads<Raw>(messages), SizeIs(1));
}

TEST(CodexItemsTest, ExitCodeOutOfRangeIsNone) {
  const auto result = Payloads<ToolResult>(RunItems({Done(
      R"("type":"command_execution","exit_code":4294967296,"status":"failed")")}))
      [0];
  EXPECT_EQ(result.exit_code, std::nullopt);
  EXPECT_TRUE(result.is_error);
}

TEST(CodexItemsTest, McpResultMaySayThatItIsAnError) {
  const auto result = Payloads<ToolResult>(RunItems({Done(
      R"("type":"mcp_tool_call","server":"s","tool":"t","result":{"content":[],"is_error":true},"status":"completed")")}))
      [0];
  EXPECT_TRUE(result.is_error);
}

TEST(CodexItemsTest, FileChangeIsWriteOnlyWhereAllIsAdded) {
  const struct {
    absl::string_view changes, name;
  } kCases[] = {
      {R"([{"path":"a","kind":"add"},{"path":"b","kind":"add"}])", "Write"},
      {R"([{"path":"a","kind":"add"},{"path":"b","kind":"update"}])", "Edit"},
      {R"([{"path":"a","kind":"delete"}])", "Edit"},
      {"[]", "Edit"},
  };
  for (const auto& c : kCases) {
    const auto messages =
        RunItems({Done(absl::StrCat(R"("type":"file_change","changes":)",
                                    c.changes, R"(,"status":"completed")"))});
    const auto use = Payloads<ToolUse>(messages)[0];
    EXPECT_EQ(use.name, c.name);
    EXPECT_EQ(use.native_name, "file_change");
    EXPECT_EQ(use.input_json, absl::StrCat("{\"changes\":", c.changes, "}"));
    EXPECT_FALSE(Payloads<ToolResult>(messages)[0].is_error);
  }
  EXPECT_TRUE(Payloads<ToolResult>(RunItems(
      {Done(R"("type":"file_change","changes":[],"status":"failed")")}))[0]
                  .is_error);
}

TEST(CodexItemsTest, McpCallKeepsServerAndTool) {
  const auto messages = RunItems(
      {Started(
           R"("type":"mcp_tool_call","server":"s","tool":"t","arguments":{"a":[1]},"status":"in_progress")"),
       Done(
           R"("type":"mcp_tool_call","server":"s","tool":"t","arguments":{"a":[1]},"result":{"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]},"error":null,"status":"completed")")});
  const auto use = Payloads<ToolUse>(messages)[0];
  EXPECT_EQ(use.name, "t");
  EXPECT_EQ(use.server, "s");
  EXPECT_EQ(use.input_json, R"({"a":[1]})");
  EXPECT_EQ(Payloads<ToolResult>(messages)[0].output, "x\ny");
  EXPECT_FALSE(Payloads<ToolResult>(messages)[0].is_error);
}

TEST(CodexItemsTest, McpErrorIsTheOutput) {
  const auto result = Payloads<ToolResult>(RunItems({Done(
      R"("type":"mcp_tool_call","server":"s","tool":"t","result":null,"error":{"message":"no"},"status":"failed")")}))
      [0];
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.output, "no");
}

TEST(CodexItemsTest, WebSearchWithTwoIdsHasTheFirst) {
  const auto messages = RunItems(
      {Started(
           R"("type":"web_search","id":"ws_1","query":"","action":{"type":"other"})"),
       Done(
           R"("type":"web_search","id":"ws_1","query":"q","action":{"type":"search","query":"q"})")});
  EXPECT_EQ(Payloads<ToolUse>(messages)[0].id, "item_0");
  EXPECT_EQ(Payloads<ToolUse>(messages)[0].name, "WebSearch");
  EXPECT_EQ(Payloads<ToolResult>(messages)[0].output, "q");
}

TEST(CodexItemsTest, TodoListIsNoTool) {
  const std::string list = R"("type":"todo_list","items":[)";
  const auto messages = RunItems(
      {Started(list + R"({"text":"a","completed":false}])"),
       absl::StrCat(R"({"type":"item.updated","item":{"id":"item_0",)", list,
                    R"({"text":"a","completed":true},{"text":"b"}]}})"),
       Done(list + "]")});
  EXPECT_THAT(Payloads<ToolUse>(messages), IsEmpty());
  const auto todos = Payloads<Todo>(messages);
  ASSERT_THAT(todos, SizeIs(3));
  ASSERT_THAT(todos[1].items, SizeIs(2));
  EXPECT_EQ(todos[1].items[0].status, Todo::Status::kCompleted);
  EXPECT_EQ(todos[1].items[1].status, Todo::Status::kPending);
}

TEST(CodexItemsTest, CollabCallsTellOfSubagents) {
  const auto messages = RunItems(
      {Done(
           R"("type":"collab_tool_call","tool":"spawn_agent","receiver_thread_ids":["t-1"],"prompt":"go","agents_states":{"t-1":{"status":"running"}},"status":"completed")"),
       R"({"type":"item.completed","item":{"id":"item_1","type":"collab_tool_call","tool":"wait","receiver_thread_ids":["t-1"],"prompt":null,"agents_states":{"t-1":{"status":"completed","message":"ok"},"t-2":{"status":"shutdown"}},"status":"completed"}})"});
  EXPECT_EQ(Payloads<ToolUse>(messages)[0].name, "Agent");
  EXPECT_EQ(Payloads<ToolUse>(messages)[0].native_name, "spawn_agent");
  const auto subagents = Payloads<Subagent>(messages);
  ASSERT_THAT(subagents, SizeIs(2));
  EXPECT_EQ(subagents[0].phase, Subagent::Phase::kStarted);
  EXPECT_EQ(subagents[0].description, "go");
  EXPECT_EQ(subagents[1].phase, Subagent::Phase::kEnded);
  EXPECT_EQ(subagents[1].status, "completed");
}

TEST(CodexItemsTest, UpdatesOfOthersAndUnknownTypesAreRaw) {
  Drift drift;
  const auto messages = RunItems(
      {R"({"type":"item.updated","item":{"id":"item_0","type":"command_execution","command":"x"}})",
       Started(R"("type":"hologram","depth":3)"),
       Done(R"("type":"hologram","depth":3)"), Started(R"("type":"reasoning")"),
       R"({"type":"item.completed"})"},
      &drift);
  const auto raws = Payloads<Raw>(messages);
  ASSERT_THAT(raws, SizeIs(5));
  EXPECT_EQ(raws[0].type, "item.updated");
  EXPECT_EQ(raws[2].type, "item.completed/hologram");
  EXPECT_THAT(Payloads<ToolUse>(messages), IsEmpty());
  EXPECT_EQ(drift.Entries()[0].what, "field item.depth");
}

TEST(CodexItemsTest, ErrorItemsAreWarnings) {
  const auto notices = Payloads<Notice>(
      RunItems({Done(R"("type":"error","message":"old key")")}));
  ASSERT_THAT(notices, SizeIs(2));
  EXPECT_EQ(notices[1].kind, Notice::Kind::kConfigWarning);
  EXPECT_EQ(notices[1].text, "old key");
}

}  // namespace
}  // namespace troika::codex
