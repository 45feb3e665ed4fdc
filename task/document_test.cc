#include "task/document.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DocumentTest : public ::testing::Test {
 protected:
  void Add(Payload payload, const std::string& parent = "") {
    document_.Add({.time = absl::FromUnixSeconds(++seconds_),
                   .parent_tool_use_id = parent,
                   .payload = std::move(payload)});
  }

  TurnDocument document_{"/w"};
  int seconds_ = 0;
};

TEST_F(DocumentTest, TellsAWholeTurn) {
  Add(Lifecycle{.kind = Lifecycle::Kind::kSpawned});
  Add(Init{.session_id = "s", .model = "m-1"});
  Add(Thinking{.text = "Hm."});
  Add(Text{.text = "I look."});
  Add(ToolUse{.id = "1",
              .name = "Bash",
              .input_json = R"({"command":"bash -lc 'make\ntest'"})"});
  Add(ToolResult{.tool_use_id = "1", .exit_code = 2});
  Add(ToolUse{
      .id = "2", .name = "Edit", .input_json = R"({"file_path":"/w/a.cc"})"});
  Add(ToolResult{.tool_use_id = "2"});
  Add(ToolUse{.id = "3",
              .name = "Edit",
              .input_json = R"({"file_path":"/w/a.cc"})"},
      "agent");
  Add(Text{.text = "Of a subagent."}, "agent");
  Add(ToolUse{
      .id = "4", .name = "WebSearch", .input_json = R"({"query":"q"})"});
  Add(ToolUse{
      .id = "5", .name = "Bash", .input_json = R"({"command":"rm `x`"})"});
  Add(ToolResult{.tool_use_id = "5", .denied = true});
  Add(Text{.text = "Done."});
  Result result = {.text = "Done."};
  result.usage.turn =
      TokenCounts{.input = 5, .cached = 2, .output = 3, .reasoning = 1};
  Add(std::move(result));
  // The next turn is not told.
  Add(Text{.text = "More."});
  EXPECT_TRUE(document_.searched());
  EXPECT_EQ(document_.Markdown({.title = "Find\nit",
                                .task = "t1",
                                .harness = "Codex CLI 1.0",
                                .asked_model = "asked",
                                .effort = "high",
                                .edit_mode = "research",
                                .exit_code = 0,
                                .mcp_servers = {"a", "b"},
                                .log = "/h/log"}),
            "# Find it\n\n"
            "I look.\n\nDone.\n\n"
            "## Edits\n\n- `a.cc`\n\n"
            "## Commands\n\n- `make test` (exit 2)\n- `rm 'x'` (denied)\n\n"
            "## Searches\n\n- `q`\n\n"
            "## Reasoning\n\nHm.\n\n"
            "## Metadata\n\n"
            "- Task: t1\n- Harness: Codex CLI 1.0\n- Model: m-1\n"
            "- Effort: high\n- Edit mode: research\n- Duration: 14s\n"
            "- Exit code: 0\n- Tokens: 7 in (2 cached), 3 out (1 reasoning)\n"
            "- MCP servers: a, b\n- Session: s\n- Session log: /h/log\n");
}

TEST_F(DocumentTest, TellsAFailure) {
  Add(Result{.is_error = true, .error = "no", .hint = "Log in."});
  const std::string text =
      document_.Markdown({.title = "T", .task = "t1", .asked_model = "asked"});
  EXPECT_THAT(text, HasSubstr("(The agent said nothing.)"));
  EXPECT_THAT(text, HasSubstr("## Error\n\nno\n\nLog in.\n"));
  EXPECT_THAT(text, HasSubstr("- Model: asked\n"));
  EXPECT_THAT(text, HasSubstr("- Exit code: none"));
  EXPECT_THAT(text, HasSubstr("- MCP servers: none\n"));
  EXPECT_THAT(text, Not(HasSubstr("## Edits")));
}

TEST_F(DocumentTest, ShowsOutputThatIsNotJson) {
  Add(ParseError{.snippet = "Hello"});
  Add(Raw{.type = "stdout", .line = "there\nyou"});
  Add(Raw{.type = "stderr", .line = "noise"});
  Add(Result{.is_error = true, .error = "no result"});
  EXPECT_FALSE(document_.searched());
  EXPECT_THAT(document_.Markdown({.title = "T"}),
              HasSubstr("This is what it printed.)\n\nHello\n\nthere\nyou\n"));
}

TEST_F(DocumentTest, IsBounded) {
  for (int i = 0; i < 700; ++i) {
    Add(ToolUse{.id = absl::StrCat(i),
                .name = i % 2 == 0 ? "Bash" : "Write",
                .input_json = absl::StrCat(R"({"command":")", i,
                                           std::string(9999, 'x'), R"("})")});
    Add(Text{.text = std::string(10000, 'y')});
  }
  for (int i = 0; i < 700; ++i) {
    Add(ToolUse{.id = absl::StrCat("b", i), .name = "Bash"});
  }
  Add(Result{});
  const std::string text = document_.Markdown({.title = "T"});
  EXPECT_LT(text.size(), size_t{5} << 20);
  EXPECT_THAT(text, HasSubstr("(Texts are cut after 4194304 bytes;"));
  EXPECT_THAT(text, HasSubstr("- … and 550 more\n"));
}

TEST(DocumentNameTest, HasTimeAndTitle) {
  const absl::Time time = absl::FromUnixSeconds(1795000000);
  const absl::TimeZone utc = absl::UTCTimeZone();
  EXPECT_EQ(DocumentName("Find: the  Bug!", time, utc),
            "agent_20261118_110640_find_the_bug.md");
  EXPECT_EQ(DocumentName("../../x", time, utc, 2),
            "agent_20261118_110640_x_2.md");
  EXPECT_EQ(DocumentName("\xc3\xa4", time, utc),
            "agent_20261118_110640_task.md");
  EXPECT_EQ(
      DocumentName(std::string(99, 'a'), time, utc),
      absl::StrCat("agent_20261118_110640_", std::string(40, 'a'), ".md"));
}

TEST(DocumentIsDueTest, WhenTheFirstTurnHasEnded) {
  TaskState state;
  state.document.turn_ended = absl::UnixEpoch();
  EXPECT_FALSE(DocumentIsDue(state));
  state.document.wanted = true;
  EXPECT_TRUE(DocumentIsDue(state));
  // A process of one turn is about to end.
  state.process_alive = true;
  state.input_closed = true;
  EXPECT_FALSE(DocumentIsDue(state));
  state.input_closed = false;
  EXPECT_TRUE(DocumentIsDue(state));
  state.document.settled = true;
  EXPECT_FALSE(DocumentIsDue(state));
}

}  // namespace
}  // namespace troika
