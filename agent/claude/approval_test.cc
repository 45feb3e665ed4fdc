#include "agent/claude/approval.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/claude/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::claude {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kRule =
    R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls"}],)"
    R"("behavior":"allow","destination":"localSettings"})";
constexpr absl::string_view kMode =
    R"({"type":"setMode","mode":"acceptEdits","destination":"session"})";

std::string Ask(absl::string_view tool, absl::string_view suggestions) {
  return absl::StrCat(
      R"({"type":"control_request","request_id":"r","request":{"subtype":)",
      R"("can_use_tool","tool_name":")", tool,
      R"(","input":{"command":"ls"},"permission_suggestions":)", suggestions,
      R"(,"tool_use_id":"t"}})");
}

// Asks, answers, and has the answer written. Returns the written line.
std::string Answer(absl::string_view suggestions, const ApprovalAnswer& answer,
                   Conversation& c) {
  c.Receive(Ask("Bash", suggestions));
  c.Notify(AnswerGiven{.id = "r", .by = "user", .answer = answer});
  if (c.protocol().outbox().size() != 1) return "";
  const std::string line = c.protocol().outbox()[0].bytes;
  c.Write(line);
  return line;
}

TEST(ClaudeApprovalTest, KindsAndCommands) {
  struct Case {
    absl::string_view tool;
    Approval::Kind kind;
    absl::string_view command;
  };
  for (const Case& test : {Case{"Bash", Approval::Kind::kCommandLine, "ls"},
                           Case{"Write", Approval::Kind::kEdit, ""},
                           Case{"MultiEdit", Approval::Kind::kEdit, ""},
                           Case{"NotebookEdit", Approval::Kind::kEdit, ""},
                           Case{"ExitPlanMode", Approval::Kind::kPlan, ""},
                           Case{"WebFetch", Approval::Kind::kTool, ""}}) {
    SCOPED_TRACE(test.tool);
    Conversation c;
    c.Receive(Ask(test.tool, "[]"));
    ASSERT_THAT(c.All<Approval>(), SizeIs(1));
    EXPECT_EQ(c.All<Approval>()[0].kind, test.kind);
    EXPECT_EQ(c.All<Approval>()[0].command, test.command);
    EXPECT_THAT(c.DriftSeen(), IsEmpty());
  }
}

TEST(ClaudeApprovalTest, TellsWhetherRulesCanDecide) {
  struct Case {
    absl::string_view tool, input;
    bool exact;
    std::vector<std::string> paths;
  };
  const Case kCases[] = {
      {"Bash", R"({"command":"ls","description":"d","timeout":5})", true, {}},
      {"Bash", R"({"command":"ls","run_in_background":true})", true, {}},
      {"Bash",
       R"({"command":"ls","dangerouslyDisableSandbox":true})",
       false,
       {}},
      {"Bash", R"({"command":"ls","command":"rm"})", false, {}},
      {"Bash", R"({"command":["ls"]})", false, {}},
      {"Bash", "{}", false, {}},
      {"Edit", R"({"file_path":"/w/a","old_string":"x"})", false, {"/w/a"}},
      {"Write", R"({"file_path":"/w/a","file_path":"/w/b"})", false, {}},
      {"Write", R"({"content":"x"})", false, {}},
      {"NotebookEdit", R"({"notebook_path":"/w/n"})", false, {"/w/n"}},
      {"mcp__github__get_issue", "{}", true, {}},
      {"ExitPlanMode", "{}", false, {}}};
  for (const Case& test : kCases) {
    Conversation c;
    c.Receive(absl::StrCat(
        R"({"type":"control_request","request_id":"r","request":{"subtype":)",
        R"("can_use_tool","tool_name":")", test.tool, R"(","input":)",
        test.input, R"(,"tool_use_id":"t"}})"));
    ASSERT_THAT(c.All<Approval>(), SizeIs(1)) << test.input;
    const Approval asked = c.All<Approval>()[0];
    EXPECT_EQ(asked.exact, test.exact) << test.input;
    EXPECT_EQ(asked.paths, test.paths) << test.input;
    EXPECT_EQ(asked.server,
              test.tool == "mcp__github__get_issue" ? "github" : "");
  }
}

TEST(ClaudeApprovalTest, ToolsOfServersAreNeverTakenForBuiltInOnes) {
  for (const absl::string_view tool :
       {"Bash", "Write", "Edit", "MultiEdit", "NotebookEdit", "ExitPlanMode"}) {
    SCOPED_TRACE(tool);
    Conversation c;
    c.Receive(absl::StrCat(
        R"({"type":"control_request","request_id":"r","request":{"subtype":)",
        R"("can_use_tool","tool_name":"mcp__evil__)", tool,
        R"(","input":{"command":"ls","file_path":"/w/a","plan":"p"},)",
        R"("tool_use_id":"t"}})"));
    ASSERT_THAT(c.All<Approval>(), SizeIs(1));
    const Approval asked = c.All<Approval>()[0];
    EXPECT_EQ(asked.kind, Approval::Kind::kTool);
    EXPECT_EQ(asked.tool_name, tool);
    EXPECT_EQ(asked.server, "evil");
    EXPECT_TRUE(asked.exact);
    EXPECT_EQ(asked.command, "");
    EXPECT_THAT(asked.paths, IsEmpty());
  }
}

TEST(ClaudeApprovalTest, TheSessionIsOfferedIfTheCliSuggestsIt) {
  for (const absl::string_view none : {"[]", "7", "null", "[7]"}) {
    Conversation c;
    c.Receive(Ask("Bash", none));
    EXPECT_THAT(c.All<Approval>()[0].choices,
                ElementsAre(kApprove, kDeny, kCancel))
        << none;
  }
  Conversation c;
  c.Receive(Ask("Bash", absl::StrCat("[", kRule, "]")));
  EXPECT_THAT(c.All<Approval>()[0].choices,
              ElementsAre(kApprove, kApproveForSession, kDeny, kCancel));
}

TEST(ClaudeApprovalTest, EachChoiceHasItsResponse) {
  struct Case {
    ApprovalAnswer answer;
    std::string response;
    Approval::State state;
    absl::string_view choice;
  };
  const std::string suggestions = absl::StrCat("[", kMode, ",", kRule, "]");
  const Case kCases[] = {
      {{.allow = true},
       R"({"behavior":"allow","updatedInput":{"command":"ls"}})",
       Approval::State::kAllowed,
       kApprove},
      {{.allow = true, .choice = "approve_for_session"},
       R"({"behavior":"allow","updatedInput":{"command":"ls"},)"
       R"("updatedPermissions":[{"type":"addRules","rules":[{"toolName":)"
       R"("Bash","ruleContent":"ls"}],"behavior":"allow",)"
       R"("destination":"session"}]})",
       Approval::State::kAllowed,
       kApproveForSession},
      {{.reason = "no"},
       R"({"behavior":"deny","message":"no"})",
       Approval::State::kDenied,
       kDeny},
      {{.reason = "stop", .choice = "cancel"},
       R"({"behavior":"deny","message":"stop","interrupt":true})",
       Approval::State::kDenied,
       kCancel},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.response);
    Conversation c;
    EXPECT_EQ(Answer(suggestions, test.answer, c),
              absl::StrCat(R"({"type":"control_response","response":{)",
                           R"("subtype":"success","request_id":"r",)",
                           R"("response":)", test.response, "}}\n"));
    const Approval decided = c.All<Approval>().back();
    EXPECT_EQ(decided.state, test.state);
    EXPECT_EQ(decided.choice, test.choice);
    EXPECT_EQ(decided.kind, Approval::Kind::kCommandLine);
    EXPECT_THAT(decided.choices, IsEmpty());
    EXPECT_THAT(c.All<Notice>(), IsEmpty());
  }
}

TEST(ClaudeApprovalTest, AcceptingAllEditsIsGrantedIfNothingElseIsSuggested) {
  Conversation c;
  EXPECT_THAT(Answer(absl::StrCat("[", kMode, "]"),
                     {.allow = true, .choice = "approve_for_session"}, c),
              HasSubstr(R"("updatedPermissions":[{"type":"setMode","mode":)"
                        R"("acceptEdits","destination":"session"}])"));
}

TEST(ClaudeApprovalTest, WhatTheWireCannotSayIsDenied) {
  for (const char* choice : {"approve_for_session", "teleport"}) {
    SCOPED_TRACE(choice);
    Conversation c;
    EXPECT_THAT(Answer("[]", {.allow = true, .choice = choice}, c),
                HasSubstr(R"("behavior":"deny")"));
    EXPECT_EQ(c.All<Approval>().back().state, Approval::State::kDenied);
    ASSERT_THAT(c.All<Notice>(), SizeIs(1));
    EXPECT_EQ(c.All<Notice>()[0].kind, Notice::Kind::kError);
    EXPECT_THAT(c.All<Notice>()[0].text, HasSubstr("so it is denied"));
  }
}

}  // namespace
}  // namespace troika::claude
