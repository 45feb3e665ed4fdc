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

constexpr absl::string_view kOptions =
    R"([{"optionId":"proceed_always_and_save","name":"s","kind":"allow_always"},{"optionId":"proceed_always","name":"a","kind":"allow_always"},{"optionId":"proceed_once","name":"o","kind":"allow_once"},{"optionId":"cancel","name":"r","kind":"reject_once"}])";

std::string Ask(absl::string_view id, absl::string_view tool_call,
                absl::string_view options = kOptions) {
  return absl::StrCat(
      R"({"jsonrpc":"2.0","id":)", id,
      R"(,"method":"session/request_permission","params":{"sessionId":"s1","options":)",
      options, R"(,"toolCall":)", tool_call, "}}");
}

constexpr absl::string_view kRun =
    R"json({"toolCallId":"run_shell_command__1","status":"pending","title":"touch a && ls","content":[{"type":"content","content":{"type":"text","text":"[current working directory /w/sub] (Why)"}}],"locations":[],"kind":"execute"})json";

AnswerGiven Given(absl::string_view choice, absl::string_view reason = "") {
  ApprovalAnswer answer;
  answer.allow = choice == kApprove || choice == kApproveForSession;
  answer.choice = std::string(choice);
  answer.reason = std::string(reason);
  return {.id = "permission-1.1", .by = "user", .via = "api", .answer = answer};
}

TEST(AcpPermissionsTest, ACommandIsAskedForExactly) {
  Conversation c;
  c.Open().Receive(Ask("0", kRun));
  const auto uses = c.All<ToolUse>();
  ASSERT_THAT(uses, SizeIs(1));
  EXPECT_EQ(uses[0].name, "Bash");
  EXPECT_EQ(uses[0].native_name, "run_shell_command");
  const auto asked = c.All<Approval>();
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].id, "permission-1.1");
  EXPECT_EQ(asked[0].state, Approval::State::kAsked);
  EXPECT_EQ(asked[0].tool_use_id, uses[0].id);
  EXPECT_EQ(asked[0].kind, Approval::Kind::kCommandLine);
  EXPECT_EQ(asked[0].command, "touch a && ls");
  EXPECT_EQ(asked[0].cwd, "/w/sub");
  EXPECT_EQ(asked[0].input_json, uses[0].input_json);
  // What allows more than it says is not offered.
  EXPECT_THAT(asked[0].choices,
              ElementsAre("approve", "approve_for_session", "deny", "cancel"));
  EXPECT_THAT(c.DriftSeen(), IsEmpty());
}

TEST(AcpPermissionsTest, TellsWhetherRulesCanDecide) {
  struct Case {
    absl::string_view call;
    bool exact;
    std::vector<std::string> paths;
  };
  const Case kCases[] = {
      {kRun, true, {}},
      // A command that looks as if its title had a folder.
      {R"({"toolCallId":"run_shell_command__1","title":"git status [current working directory /w] (a); rm x","kind":"execute"})",
       false,
       {}},
      {R"({"toolCallId":"call_1","title":"ls","kind":"execute"})", false, {}},
      {R"({"toolCallId":"c","title":"t","kind":"execute","rawInput":{"command":"ls","cwd":"/w"}})",
       true,
       {}},
      {R"({"toolCallId":"c","title":"t","kind":"execute","rawInput":{"command":"ls","sudo":true}})",
       false,
       {}},
      {R"({"toolCallId":"write_file__1","title":"w","kind":"edit","content":[{"type":"diff","path":"/w/b","newText":"x"}],"locations":[{"path":"/w/a"}]})",
       false,
       {"/w/a", "/w/b"}},
      {R"({"toolCallId":"x","title":"m","kind":"move","locations":[{"path":"/w/a"}]})",
       false,
       {}},
      {R"({"toolCallId":"x","title":"t","kind":"other"})", false, {}}};
  for (const Case& test : kCases) {
    Conversation c;
    c.Open().Receive(Ask("0", test.call));
    ASSERT_THAT(c.All<Approval>(), SizeIs(1)) << test.call;
    EXPECT_EQ(c.All<Approval>()[0].exact, test.exact) << test.call;
    EXPECT_EQ(c.All<Approval>()[0].paths, test.paths) << test.call;
  }
}

// Gemini CLI 0.35 tells folder and reason in the title.
TEST(AcpPermissionsTest, AnOlderTitleIsTakenApart) {
  Conversation c;
  c.Open().Receive(Ask(
      "0",
      R"json({"toolCallId":"call_1","status":"pending","title":"touch /w/a [current working directory /w] (Run a command)","content":[],"locations":[],"kind":"execute"})json"));
  EXPECT_EQ(c.All<Approval>()[0].command, "touch /w/a");
  EXPECT_EQ(c.All<Approval>()[0].cwd, "/w");
  EXPECT_EQ(c.All<ToolUse>()[0].name, "Bash");
  EXPECT_EQ(c.All<ToolUse>()[0].input_json, R"({"command":"touch /w/a"})");
}

TEST(AcpPermissionsTest, AnEditHasItsDiff) {
  Conversation c;
  c.Open().Receive(Ask(
      "0",
      R"({"toolCallId":"write_file__1","title":"Writing to a","content":[{"type":"diff","path":"/w/a","oldText":"x\n","newText":"y\n","_meta":{"kind":"modify"}}],"locations":[{"path":"/w/a"}],"kind":"edit"})"));
  const Approval asked = c.All<Approval>()[0];
  EXPECT_EQ(asked.kind, Approval::Kind::kEdit);
  EXPECT_EQ(asked.diff, "--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-x\n+y\n");
  EXPECT_EQ(asked.tool_name, "Write");
  EXPECT_EQ(
      asked.input_json,
      R"({"file_path":"/w/a","old_string":"x\n","new_string":"y\n","title":"Writing to a"})");
}

// claude-agent-acp: what explains the call is not what it brought.
TEST(AcpPermissionsTest, AnExplanationIsNoOutput) {
  Conversation c;
  c.Open().Receive(Ask("0", kRun)).Notify(Given(kApprove)).WriteAll();
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"run_shell_command__1","status":"completed","rawOutput":"made","_meta":{"terminal_exit":{"exit_code":2}}})");
  ASSERT_THAT(c.All<ToolResult>(), SizeIs(1));
  EXPECT_EQ(c.All<ToolResult>()[0].output, "made");
  EXPECT_EQ(c.All<ToolResult>()[0].exit_code, 2);
}

TEST(AcpPermissionsTest, EachChoicePicksItsOption) {
  const struct {
    absl::string_view choice;
    absl::string_view outcome;
    Approval::State state;
  } kCases[] = {
      {kApprove, R"("outcome":"selected","optionId":"proceed_once")",
       Approval::State::kAllowed},
      {kApproveForSession,
       R"("outcome":"selected","optionId":"proceed_always")",
       Approval::State::kAllowed},
      {kDeny, R"("outcome":"selected","optionId":"cancel")",
       Approval::State::kDenied},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.choice);
    Conversation c;
    c.Open().Receive(Ask("\"x y\"", kRun)).Notify(Given(test.choice, "no"));
    ASSERT_THAT(c.protocol().outbox(), SizeIs(1));
    EXPECT_EQ(c.protocol().outbox()[0].key, "answer-1.1");
    EXPECT_EQ(
        c.WriteNext(),
        absl::StrCat(R"({"jsonrpc":"2.0","id":"x y","result":{"outcome":{)",
                     test.outcome, "}}}"));
    const Approval decided = c.All<Approval>().back();
    EXPECT_EQ(decided.state, test.state);
    EXPECT_EQ(decided.choice, test.choice);
    EXPECT_EQ(decided.by, "user");
    EXPECT_EQ(decided.via, "api");
    EXPECT_THAT(decided.choices, IsEmpty());
    const bool denied = test.choice == kDeny;
    EXPECT_EQ(decided.reason, denied ? "no" : "");
    const auto results = c.All<ToolResult>();
    ASSERT_THAT(results, SizeIs(denied ? 1 : 0));
    if (denied) {
      EXPECT_EQ(results[0].output, "denied: no");
      EXPECT_TRUE(results[0].synthetic);
      EXPECT_TRUE(results[0].is_error);
    }
    // A second answer counts for nothing.
    c.Notify(Given(kApprove));
    EXPECT_THAT(c.protocol().outbox(), IsEmpty());
    EXPECT_EQ(BrokenRules(c.End().messages()), "");
  }
}

TEST(AcpPermissionsTest, CancelEndsTheTurnToo) {
  Conversation c;
  c.Open().Receive(Ask("0", kRun)).Receive(Ask("1", kRun));
  c.Notify(Given(kCancel));
  EXPECT_THAT(c.WriteNext(), HasSubstr("session/cancel"));
  EXPECT_THAT(
      c.WriteNext(),
      HasSubstr(R"("id":1,"result":{"outcome":{"outcome":"cancelled"})"));
  EXPECT_THAT(
      c.WriteNext(),
      HasSubstr(R"("id":0,"result":{"outcome":{"outcome":"cancelled"})"));
  EXPECT_EQ(c.All<Approval>().back().state, Approval::State::kDenied);
  EXPECT_EQ(c.All<Approval>().back().choice, kCancel);
}

TEST(AcpPermissionsTest, RefusalsOfAFloodAreBounded) {
  Conversation c;
  c.Open();
  for (int i = 0; i < 3000; ++i) {
    c.Receive(absl::StrCat(R"({"jsonrpc":"2.0","id":)", i,
                           R"(,"method":"no/such","params":{}})"));
  }
  EXPECT_LE(c.protocol().outbox().size(), 1024u);
}

TEST(AcpPermissionsTest, WhatTheWireCantSayIsDenied) {
  Conversation c;
  c.Open().Receive(
      Ask("0", kRun, R"([{"optionId":"a","name":"a","kind":"allow_always"}])"));
  EXPECT_THAT(c.All<Approval>()[0].choices,
              ElementsAre("approve_for_session", "deny", "cancel"));
  c.Notify(Given(kApprove));
  EXPECT_THAT(c.WriteNext(),
              HasSubstr(R"({"outcome":{"outcome":"cancelled"}})"));
  EXPECT_EQ(c.All<Approval>().back().state, Approval::State::kDenied);
}

TEST(AcpPermissionsTest, AnswersOfOldLogsHaveNoChoice) {
  Conversation c;
  c.Open().Receive(Ask("0", kRun));
  c.Notify(AnswerGiven{.id = "permission-1.1",
                       .by = "user",
                       .answer = ApprovalAnswer{.allow = true}});
  EXPECT_THAT(c.WriteNext(), HasSubstr("proceed_once"));
}

TEST(AcpPermissionsTest, AWithdrawnRequestIsCancelled) {
  Conversation c;
  c.Open().Receive(Ask("7", kRun));
  c.Receive(R"({"method":"$/cancel_request","params":{"requestId":7}})");
  EXPECT_EQ(c.All<Approval>().back().state, Approval::State::kCancelled);
  EXPECT_THAT(c.WriteNext(), HasSubstr(R"("id":7,"error":{"code":-32800)"));
  c.Notify(Given(kApprove));
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
}

TEST(AcpPermissionsTest, ATurnThatEndsLeavesNoneOpen) {
  Conversation c;
  c.Open().Receive(Ask("0", kRun));
  c.Receive(R"({"id":2,"result":{"stopReason":"end_turn"}})");
  EXPECT_EQ(c.All<Approval>().back().state, Approval::State::kCancelled);
  EXPECT_EQ(BrokenRules(c.messages()), "");
  // A part of the agent may still wait for it.
  EXPECT_THAT(
      c.WriteNext(),
      HasSubstr(R"("id":0,"result":{"outcome":{"outcome":"cancelled")"));
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
}

TEST(AcpPermissionsTest, ADuplicateGetsNoReplyOfItsOwn) {
  Conversation c;
  c.Open().Receive(Ask("0", kRun)).Receive(Ask("0", kRun));
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
  EXPECT_THAT(c.All<Approval>(), SizeIs(1));
  EXPECT_THAT(c.All<Raw>(), SizeIs(1));
}

// What was allowed is never taken as an answer to something else.
TEST(AcpPermissionsTest, AnAnswerThatIsLateCountsForNoOtherRequest) {
  for (const absl::string_view end :
       {R"({"method":"$/cancel_request","params":{"requestId":0}})",
        R"({"id":2,"result":{"stopReason":"end_turn"}})"}) {
    Conversation c;
    c.Open().Receive(Ask("0", kRun)).Notify(Given(kApprove));
    c.Receive(end).Receive(Ask("0", kRun));
    EXPECT_THAT(c.All<Raw>(), SizeIs(1));
    EXPECT_THAT(c.WriteNext(), HasSubstr("proceed_once"));
    ASSERT_THAT(c.All<Approval>(), SizeIs(2));
    EXPECT_EQ(c.All<Approval>()[1].state, Approval::State::kCancelled);
    EXPECT_THAT(c.protocol().outbox(), IsEmpty());
    // Once it is written, the id is free, also in the next turn.
    c.Notify(TurnAsked{.turn = 2, .prompt = "more"}).WriteAll();
    c.Receive(Ask("0", kRun));
    EXPECT_EQ(c.All<Approval>().back().id, "permission-1.2");
  }
}

TEST(AcpPermissionsTest, NobodyIsAskedInATurnThatIsBeingEnded) {
  Conversation c;
  c.Open().Notify(InterruptAsked{}).WriteAll();
  c.Receive(Ask("5", kRun));
  EXPECT_THAT(c.All<Approval>(), IsEmpty());
  EXPECT_THAT(
      c.WriteNext(),
      HasSubstr(R"("id":5,"result":{"outcome":{"outcome":"cancelled")"));
}

// Other agents announce the call first and report its end.
TEST(AcpPermissionsTest, AnAnnouncedCallIsOneToolUse) {
  Conversation c;
  c.Open().Update(
      R"({"sessionUpdate":"tool_call","toolCallId":"t","status":"pending","title":"ls","kind":"execute","rawInput":{"command":["ls","-l"],"cwd":"/x"}})");
  c.Receive(Ask("0", R"({"toolCallId":"t"})"));
  EXPECT_EQ(c.All<Approval>()[0].command, "ls -l");
  EXPECT_EQ(c.All<Approval>()[0].cwd, "/x");
  c.Notify(Given(kDeny)).WriteAll();
  c.Update(
      R"({"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"})");
  EXPECT_THAT(c.All<ToolUse>(), SizeIs(1));
  EXPECT_THAT(c.All<ToolResult>(), SizeIs(1));
  EXPECT_THAT(c.All<Raw>(), IsEmpty());
}

}  // namespace
}  // namespace troika::acp
