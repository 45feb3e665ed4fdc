// Tests assistant and user lines: blocks, tools, todo lists, subagents.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/claude/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::claude {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Assistant(absl::string_view blocks,
                      absl::string_view parent = "null") {
  return absl::StrCat(R"({"type":"assistant","message":{"id":"m1","content":[)",
                      blocks, R"(]},"parent_tool_use_id":)", parent, "}");
}

std::string User(absl::string_view blocks, absl::string_view more = "") {
  return absl::StrCat(R"({"type":"user","message":{"role":"user","content":[)",
                      blocks, "]}", more, "}");
}

std::string Use(absl::string_view id, absl::string_view name,
                absl::string_view input = "{}") {
  return absl::StrCat(R"({"type":"tool_use","id":")", id, R"(","name":")", name,
                      R"(","input":)", input, "}");
}

std::string Done(absl::string_view id, absl::string_view content = R"("")",
                 absl::string_view more = "") {
  return absl::StrCat(R"({"type":"tool_result","tool_use_id":")", id,
                      R"(","content":)", content, more, "}");
}

std::vector<std::string> TodoTexts(const Conversation& c) {
  std::vector<std::string> texts;
  for (const Todo& todo : c.All<Todo>()) {
    texts.push_back(absl::StrJoin(
        todo.items, " ", [](std::string* out, const Todo::Item& item) {
          absl::StrAppend(out, item.text, ":", static_cast<int>(item.status));
        }));
  }
  return texts;
}

TEST(ClaudeMessagesTest, OneLineMayHoldSeveralBlocks) {
  Conversation c;
  c.Receive(Assistant(
      absl::StrCat(R"({"type":"thinking","thinking":"hm","signature":"x"},)",
                   R"({"type":"text","text":"hello"},)",
                   R"({"type":"redacted_thinking","data":"x"},)",
                   Use("t1", "mcp__srv__find", R"({"q": "a\u00e9"})"))));
  ASSERT_THAT(c.messages(), SizeIs(4));
  EXPECT_EQ(c.All<Thinking>()[0].text, "hm");
  EXPECT_EQ(c.All<Thinking>()[1].text, "");
  EXPECT_EQ(c.All<Text>()[0].text, "hello");
  const ToolUse use = c.All<ToolUse>()[0];
  EXPECT_EQ(use.id, "t1");
  EXPECT_EQ(use.name, "find");
  EXPECT_EQ(use.server, "srv");
  EXPECT_EQ(use.native_name, "mcp__srv__find");
  EXPECT_EQ(use.input_json, R"({"q": "a\u00e9"})");
  for (const Message& m : c.messages()) EXPECT_EQ(m.block_id, "");
}

TEST(ClaudeMessagesTest, ParallelResultsInOneLine) {
  Conversation c;
  c.Receive(Assistant(Use("a", "Read"))).Receive(Assistant(Use("b", "Grep")));
  c.Receive(User(
      absl::StrCat(
          Done("b",
               R"([{"type":"text","text":"x"},{"type":"image","source":{}},)"
               R"({"type":"text","text":"y"}])"),
          ",", Done("a", R"("plain")")),
      R"(,"tool_use_result":{"durationMs":7})"));
  c.End();
  const auto results = c.All<ToolResult>();
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].tool_use_id, "b");
  EXPECT_EQ(results[0].output, "x\n[image]\ny");
  EXPECT_EQ(results[0].duration, std::nullopt) << "of which one?";
  EXPECT_EQ(results[1].output, "plain");
  EXPECT_FALSE(results[1].is_error);
  EXPECT_EQ(BrokenRules(c.messages()), "");
}

TEST(ClaudeMessagesTest, ResultWithoutUseIsRawOnceALine) {
  Conversation c;
  c.Receive(User(absl::StrCat(Done("a"), ",", Done("b"), ",", Done("a"))));
  const auto raws = c.All<Raw>();
  ASSERT_THAT(raws, SizeIs(1));
  EXPECT_EQ(raws[0].reason, "no tool use of this id is running");
  EXPECT_THAT(c.messages(), SizeIs(1));
}

TEST(ClaudeMessagesTest, ResultAfterItsTurnIsRaw) {
  Conversation c;
  c.Receive(Assistant(Use("a", "Bash"), R"("p")"));
  c.Receive(R"({"type":"result","subtype":"success"})");
  c.Receive(User(Done("a", R"("late")")));
  c.End();
  ASSERT_THAT(c.All<Raw>(), SizeIs(1));
  EXPECT_EQ(c.All<Raw>()[0].reason, "the turn of its tool use has ended");
  EXPECT_TRUE(c.All<ToolResult>()[0].synthetic);
  EXPECT_EQ(BrokenRules(c.messages()), "");
}

TEST(ClaudeMessagesTest, ExitCodes) {
  struct Case {
    absl::string_view tool, result, more;
    std::optional<int> exit_code;
  };
  const Case kCases[] = {
      {"Bash", R"("Exit code 3\noops")", R"(,"is_error":true)", 3},
      {"Bash", R"("Exit code 137")", R"(,"is_error":true)", 137},
      {"Bash", R"("Exit code 3\noops")", "", std::nullopt},
      {"Bash", R"("oops")", R"(,"is_error":true)", std::nullopt},
      {"Bash", R"("Exit code x")", R"(,"is_error":true)", std::nullopt},
      {"Bash", R"("Exit code 99999999999")", R"(,"is_error":true)",
       std::nullopt},
      {"Read", R"("Exit code 3\noops")", R"(,"is_error":true)", std::nullopt},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.result);
    Conversation c;
    c.Receive(Assistant(Use("t", test.tool)));
    c.Receive(User(Done("t", test.result, test.more),
                   R"(,"tool_use_result":{"totalDurationMs":20})"));
    ASSERT_THAT(c.All<ToolResult>(), SizeIs(1));
    EXPECT_EQ(c.All<ToolResult>()[0].exit_code, test.exit_code);
    EXPECT_EQ(c.All<ToolResult>()[0].duration, absl::Milliseconds(20));
  }
}

TEST(ClaudeMessagesTest, ToolsOfTheServer) {
  Conversation c;
  c.Receive(Assistant(
      R"({"type":"server_tool_use","id":"s1","name":"web_search",)"
      R"("input":{"query":"q"}},{"type":"web_search_tool_result",)"
      R"("tool_use_id":"s1","content":[{"type":"web_search_result",)"
      R"("title":"T","url":"U","encrypted_content":"E"}]},)"
      R"({"type":"mcp_tool_use","id":"s2","name":"find","server_name":"srv",)"
      R"("input":{}},{"type":"mcp_tool_result","tool_use_id":"s2",)"
      R"("content":{"type":"mcp_tool_error","code":1}})"));
  ASSERT_THAT(c.All<ToolUse>(), SizeIs(2));
  EXPECT_EQ(c.All<ToolUse>()[0].name, "WebSearch");
  EXPECT_EQ(c.All<ToolUse>()[1].server, "srv");
  ASSERT_THAT(c.All<ToolResult>(), SizeIs(2));
  EXPECT_EQ(c.All<ToolResult>()[0].output, "T U");
  EXPECT_TRUE(c.All<ToolResult>()[1].is_error);
  EXPECT_THAT(c.All<Raw>(), IsEmpty());
}

TEST(ClaudeMessagesTest, UnknownToolContentIsKept) {
  Conversation c;
  c.Receive(Assistant(Use("t", "Read")));
  c.Receive(User(Done("t", R"([{"type":"hologram","x":1}, 7])")));
  EXPECT_EQ(c.All<ToolResult>()[0].output,
            "{\"type\":\"hologram\",\"x\":1}\n7");
}

TEST(ClaudeMessagesTest, SubagentsHaveUsageOfTheirOwn) {
  Conversation c;
  const auto says = [&](absl::string_view id, absl::string_view parent,
                        int output) {
    c.Receive(
        absl::StrCat(R"({"type":"assistant","message":{"id":")", id,
                     R"(","content":[{"type":"text","text":"x"}],"usage":)",
                     R"({"input_tokens":10,"output_tokens":)", output,
                     R"(}},"parent_tool_use_id":)", parent, "}"));
  };
  c.Receive(Assistant(Use("p", "Agent")));
  says("m1", "null", 1);
  says("m2", R"("p")", 5);
  says("m2", R"("p")", 5);  // Another line of the same message.
  says("m3", R"("p")", 7);
  std::vector<int64_t> turn, subagent;
  for (const Message& message : c.messages()) {
    const auto* const usage = std::get_if<Usage>(&message.payload);
    if (usage == nullptr) continue;
    (message.parent_tool_use_id.empty() ? turn : subagent)
        .push_back(usage->turn->output);
  }
  EXPECT_THAT(turn, ElementsAre(1, 6, 13));
  EXPECT_THAT(subagent, ElementsAre(5, 12));
}

TEST(ClaudeMessagesTest, SubagentsCarryTheirParent) {
  Conversation c(Continuation{.generation = 3});
  c.Receive(Assistant(Use("p", "Agent")));
  c.Receive(User(R"({"type":"text","text":"do it"})",
                 R"(,"parent_tool_use_id":"p")"));
  c.Receive(Assistant(
      absl::StrCat(R"({"type":"text","text":"ok"},)",
                   Use("k", "TodoWrite", R"({"todos":[{"content":"a"}]})")),
      R"("p")"));
  c.Receive(User(Done("k"), R"(,"parent_tool_use_id":"p")"));
  c.Receive(User(Done("p", R"("done")"), R"(,"parent_tool_use_id":null)"));
  c.End();
  std::vector<std::string> parents;
  for (const Message& m : c.messages()) parents.push_back(m.parent_tool_use_id);
  EXPECT_THAT(parents,
              ElementsAre("", "g3.p", "g3.p", "g3.p", "g3.p", "g3.p", "", ""));
  EXPECT_EQ(BrokenRules(c.messages()), "");
}

TEST(ClaudeMessagesTest, UserTextsAndImages) {
  Conversation c;
  c.Receive(R"({"type":"user","message":{"role":"user","content":"a"}})");
  c.Receive(User(R"({"type":"text","text":"b"},{"type":"text","text":"c"},)"
                 R"({"type":"image","source":{}})"));
  c.Receive(R"({"type":"user","message":{"content":"<local-command-stdout>Set)"
            R"(</local-command-stdout>"},"isReplay":true})");
  c.Receive(
      User(R"({"type":"text","text":"Go on."})", R"(,"isSynthetic":true)"));
  const auto inputs = c.All<UserInput>();
  ASSERT_THAT(inputs, SizeIs(2));
  EXPECT_EQ(inputs[0].text, "a");
  EXPECT_EQ(inputs[1].text, "b\nc");
  EXPECT_EQ(inputs[1].images, 1);
  ASSERT_THAT(c.All<Notice>(), SizeIs(2));
  EXPECT_EQ(c.All<Notice>()[0].text, "Set");
  EXPECT_EQ(c.All<Notice>()[1].text, "Go on.");
  c.End();
  EXPECT_THAT(c.All<Result>(), IsEmpty()) << "a user line opens no turn";
}

TEST(ClaudeMessagesTest, EmptyLinesAreNotLost) {
  Conversation c;
  c.Receive(Assistant(""));
  c.Receive(R"({"type":"assistant"})");
  c.Receive(R"({"type":"user","message":{"content":null}})");
  c.Receive(R"({"type":"user","message":{"content":[]}})");
  EXPECT_THAT(c.All<Raw>(), SizeIs(4));
}

TEST(ClaudeMessagesTest, TodoWriteSaysTheWholeList) {
  Conversation c;
  c.Receive(Assistant(
      Use("t", "TodoWrite",
          R"({"todos":[{"content":"a","status":"completed"},)"
          R"({"content":"b","status":"in_progress"},{"content":"c"}]})")));
  EXPECT_THAT(TodoTexts(c), ElementsAre("a:2 b:1 c:0"));
  EXPECT_THAT(c.All<ToolUse>(), SizeIs(1));
}

TEST(ClaudeMessagesTest, TaskToolsChangeTheList) {
  Conversation c;
  int id = 0;
  const auto run = [&](absl::string_view tool, absl::string_view input,
                       absl::string_view output, absl::string_view more = "",
                       absl::string_view line = "") {
    const std::string native = absl::StrCat("t", ++id);
    c.Receive(Assistant(Use(native, tool, input)));
    c.Receive(User(Done(native, output, more), line));
  };
  run("TaskCreate", R"({"subject":"A"})", R"("Task #1 created: A")");
  run("TaskCreate", R"({"subject":"B"})", R"("Created")", "",
      R"(,"tool_use_result":{"task":{"id":"2"}})");
  run("TaskCreate", R"({"subject":"X"})", R"("no")", R"(,"is_error":true)");
  run("TaskUpdate", R"({"taskId":"1","status":"completed"})", R"("ok")");
  run("TaskUpdate", R"({"taskId":2,"subject":"B2"})", R"("ok")");
  run("TaskUpdate", R"({"taskId":"1","status":"deleted"})", R"("no")", "",
      R"(,"tool_use_result":{"success":false})");
  run("TaskUpdate", R"({"taskId":"1","status":"deleted"})", R"("ok")");
  run("TaskUpdate", R"({"taskId":"7","status":"in_progress"})", R"("ok")");
  run("TaskUpdate", R"({"status":"in_progress"})", R"("ok")");
  run("TaskList", "{}", R"("#2 [completed] B2\n#9 [pending] C [x]")");
  run("TaskList", "{}", R"("#2 [completed] B2\n#9 [pending] C [x]")");
  run("TaskList", "{}", R"("")", "",
      R"(,"tool_use_result":{"tasks":[{"id":"9","subject":"C"}]})");
  EXPECT_THAT(TodoTexts(c),
              ElementsAre("A:0", "A:0 B:0", "A:2 B:0", "A:2 B2:0", "B2:0",
                          "B2:0 Task #7:1", "B2:2 C [x]:0", "C:0"));
  EXPECT_THAT(c.All<ToolUse>(), SizeIs(id));
}

TEST(ClaudeMessagesTest, TaskListIsBounded) {
  Conversation c;
  for (int i = 0; i < 300; ++i) {
    const std::string native = absl::StrCat("t", i);
    c.Receive(Assistant(
        Use(native, "TaskCreate",
            absl::StrCat(R"({"subject":")", std::string(2000, 'x'), "\"}"))));
    c.Receive(User(Done(native, absl::StrCat("\"Task #", i, " created\""))));
  }
  const auto todos = c.All<Todo>();
  ASSERT_THAT(todos, SizeIs(TodoList::kMaxItems));
  EXPECT_THAT(todos.back().items, SizeIs(TodoList::kMaxItems));
  EXPECT_THAT(todos.back().items[0].text, SizeIs(TodoList::kMaxTextBytes));
}

TEST(ClaudeMessagesTest, AnInterruptionIsNotTheUsersInput) {
  for (const absl::string_view text :
       {"[Request interrupted by user]",
        "[Request interrupted by user for tool use]"}) {
    Conversation c;
    c.Receive(User(absl::StrCat(R"({"type":"text","text":")", text, R"("})")));
    EXPECT_THAT(c.All<UserInput>(), IsEmpty()) << text;
    ASSERT_THAT(c.All<Notice>(), SizeIs(1)) << text;
    EXPECT_EQ(c.All<Notice>()[0].text, "the agent's work was interrupted");
  }
  Conversation c;
  c.Receive(User(
      R"({"type":"text","text":"[Request interrupted by user] and more"})"));
  EXPECT_THAT(c.All<UserInput>(), SizeIs(1));
}

}  // namespace
}  // namespace troika::claude
