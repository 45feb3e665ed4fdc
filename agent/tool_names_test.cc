#include "agent/tool_names.h"

#include "gtest/gtest.h"

namespace troika {
namespace {

TEST(ToolNamesTest, Table) {
  struct Case {
    Harness harness;
    absl::string_view native, name, server;
  };
  constexpr Case kCases[] = {
      {Harness::kCodex, "command_execution", "Bash", ""},
      {Harness::kCodex, "web_search", "WebSearch", ""},
      {Harness::kClaude, "Bash", "Bash", ""},
      {Harness::kClaude, "MultiEdit", "Edit", ""},
      {Harness::kClaude, "TaskCreate", "TodoWrite", ""},
      {Harness::kClaude, "mcp__mock__echo", "echo", "mock"},
      {Harness::kClaude, "mcp__my_srv__do__it", "do__it", "my_srv"},
      {Harness::kGemini, "run_shell_command", "Bash", ""},
      {Harness::kGemini, "replace", "Edit", ""},
      {Harness::kGemini, "mcp_mock_echo", "echo", "mock"},
      {Harness::kGemini, "mcp_mock_echo_it", "echo_it", "mock"},
      // Not split, because one of the parts would be empty.
      {Harness::kGemini, "mcp_mock", "mcp_mock", ""},
      {Harness::kClaude, "mcp__mock__", "mcp__mock__", ""},
      {Harness::kClaude, "mcp____x", "mcp____x", ""},
      // Unknown, or a name of another harness.
      {Harness::kGemini, "no_such_tool", "no_such_tool", ""},
      {Harness::kCodex, "Bash", "Bash", ""},
      {Harness::kClaude, "", "", ""},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.native);
    const ToolName name = NormalizeToolName(c.harness, c.native);
    EXPECT_EQ(name.name, c.name);
    EXPECT_EQ(name.server, c.server);
  }
}

}  // namespace
}  // namespace troika
