// Tests the agent's requests and the lines that we write to it.

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

constexpr absl::string_view kResult =
    R"({"type":"result","subtype":"success","result":""})";

std::string Ask(absl::string_view id, absl::string_view tool_use_id = "t1",
                absl::string_view tool = "Bash") {
  return absl::StrCat(
      R"({"type":"control_request","request_id":")", id,
      R"(","request":{"subtype":"can_use_tool","tool_name":")", tool,
      R"(","input":{"command":"ls","questions":[{"question":"Q?",)",
      R"("header":"H","multiSelect":true,"options":[{"label":"A"},)",
      R"({"label":"B"}]}]},"blocked_path":"/x","decision_reason_type":"other",)",
      R"("server_policy_ask_only":true,"tool_use_id":")", tool_use_id,
      R"("}})");
}

std::string Answer(absl::string_view id, absl::string_view response,
                   absl::string_view subtype = "success") {
  return absl::StrCat(R"({"type":"control_response","response":{"subtype":")",
                      subtype, R"(","request_id":")", id, "\",", response,
                      "}}");
}

std::string Prompt(absl::string_view text) {
  return absl::StrCat(R"({"type":"user","message":{"role":"user","content":[)",
                      R"({"type":"text","text":")", text,
                      R"("}]},"parent_tool_use_id":null,"session_id":""})");
}

TEST(ClaudeControlTest, ApprovalsAreAnsweredOnce) {
  struct Case {
    std::string answer;
    Approval::State state;
    absl::string_view reason;
  };
  const Case kCases[] = {
      {Answer("r", R"("response":{"behavior":"allow","updatedInput":{}})"),
       Approval::State::kAllowed, ""},
      {Answer("r", R"("response":{"behavior":"deny","message":"No."})"),
       Approval::State::kDenied, "No."},
      {Answer("r", R"("error":"broken")", "error"), Approval::State::kDenied,
       "broken"},
      {Answer("r", R"("response":7)"), Approval::State::kDenied, ""},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.answer);
    Conversation c(Continuation{.generation = 2});
    c.Receive(Ask("r")).Write(test.answer).Write(test.answer);
    EXPECT_THAT(c.DriftSeen(), IsEmpty());
    const auto approvals = c.All<Approval>();
    ASSERT_THAT(approvals, SizeIs(2));
    EXPECT_EQ(approvals[0].state, Approval::State::kAsked);
    EXPECT_EQ(approvals[0].id, "r");
    EXPECT_EQ(approvals[0].tool_use_id, "g2.t1");
    EXPECT_EQ(approvals[0].tool_name, "Bash");
    EXPECT_EQ(approvals[0].input_json.substr(0, 15), R"({"command":"ls")");
    EXPECT_EQ(approvals[0].reason, "path /x");
    EXPECT_EQ(approvals[1].state, test.state);
    EXPECT_EQ(approvals[1].id, "r");
    EXPECT_EQ(approvals[1].tool_use_id, "g2.t1");
    EXPECT_EQ(approvals[1].input_json, "");
    EXPECT_EQ(approvals[1].reason, test.reason);
  }
}

TEST(ClaudeControlTest, QuestionsAreAnsweredByTheirText) {
  Conversation c;
  c.Receive(Ask("r1", "t1", "AskUserQuestion"));
  c.Receive(Ask("r2", "t2", "AskUserQuestion"));
  c.Receive(Ask("r3", "t3", "AskUserQuestion"));
  c.Write(Answer("r1", R"("response":{"behavior":"allow","updatedInput":)"
                       R"({"answers":{"Q?":"A, B","other":"x"}}})"));
  c.Write(Answer("r2", R"("response":{"behavior":"allow","updatedInput":)"
                       R"({"answers":{"Q?":["A","B"]}}})"));
  c.Write(Answer("r3", R"("response":{"behavior":"deny","message":"later"})"));
  const auto questions = c.All<Question>();
  ASSERT_THAT(questions, SizeIs(6));
  EXPECT_EQ(questions[0].state, Question::State::kAsked);
  EXPECT_EQ(questions[0].tool_use_id, "t1");
  ASSERT_THAT(questions[0].items, SizeIs(1));
  const Question::Item& item = questions[0].items[0];
  EXPECT_EQ(item.text, "Q?");
  EXPECT_EQ(item.header, "H");
  EXPECT_TRUE(item.multi_select);
  EXPECT_THAT(item.options, ElementsAre("A", "B"));
  EXPECT_THAT(item.answers, IsEmpty());
  EXPECT_EQ(questions[3].state, Question::State::kAnswered);
  EXPECT_THAT(questions[3].items[0].answers, ElementsAre("A, B"));
  EXPECT_THAT(questions[4].items[0].answers, ElementsAre("A", "B"));
  EXPECT_EQ(questions[5].state, Question::State::kCancelled);
  EXPECT_THAT(c.All<Approval>(), IsEmpty());
}

// What was allowed is never taken as an answer to something else.
TEST(ClaudeControlTest, AnAnswerThatIsLateCountsForNoOtherRequest) {
  Conversation c;
  c.Receive(Ask("r"));
  c.Notify(AnswerGiven{.id = "r", .answer = ApprovalAnswer{.allow = true}});
  c.Receive(R"({"type":"control_cancel_request","request_id":"r"})");
  c.Receive(Ask("r"));
  EXPECT_THAT(c.All<Raw>(), SizeIs(1));
  c.Write(Answer("r", R"("response":{"behavior":"allow","updatedInput":{}})"));
  ASSERT_THAT(c.All<Approval>(), SizeIs(2));
  EXPECT_EQ(c.All<Approval>()[1].state, Approval::State::kCancelled);
  c.Receive(Ask("r"));
  EXPECT_THAT(c.All<Approval>(), SizeIs(3));
}

TEST(ClaudeControlTest, RequestsAreCancelled) {
  Conversation c;
  c.Receive(Ask("asked")).Receive(Ask("asked"));  // The second is Raw.
  c.Receive(R"({"type":"control_cancel_request","request_id":"asked"})");
  c.Receive(R"({"type":"control_cancel_request","request_id":"asked"})");
  EXPECT_THAT(c.All<Raw>(), SizeIs(2));
  c.Receive(Ask("left"));
  c.Receive(Ask("no tool", "")).Receive(kResult);
  c.End();
  std::vector<std::string> states;
  for (const Approval& a : c.All<Approval>()) {
    states.push_back(absl::StrCat(a.id, ":", static_cast<int>(a.state)));
  }
  EXPECT_THAT(states, ElementsAre("asked:0", "asked:3", "left:0", "no tool:0",
                                  "left:3", "no tool:3"));
}

TEST(ClaudeControlTest, AToolsResultEndsItsRequest) {
  Conversation c;
  c.Receive(R"({"type":"assistant","message":{"id":"m","content":[{"type":)"
            R"("tool_use","id":"t1","name":"Bash","input":{}}]}})");
  c.Receive(Ask("r"));
  c.Receive(R"({"type":"user","message":{"content":[{"type":"tool_result",)"
            R"("tool_use_id":"t1","content":"x"}]}})");
  ASSERT_THAT(c.All<Approval>(), SizeIs(2));
  EXPECT_EQ(c.All<Approval>()[1].state, Approval::State::kCancelled);
}

TEST(ClaudeControlTest, OpenRequestsAreBounded) {
  Conversation c;
  for (int i = 0; i < 1000; ++i) c.Receive(Ask(absl::StrCat(i)));
  c.End();
  EXPECT_THAT(c.All<Approval>(), SizeIs(2000));
}

TEST(ClaudeControlTest, OtherRequestsAndResponsesAreRaw) {
  Conversation c;
  c.Receive(
      R"({"type":"control_request","request_id":"1","request":{"subtype":)"
      R"("hook_callback"}})");
  c.Receive(R"({"type":"control_response","response":{"subtype":"success"}})");
  EXPECT_THAT(c.DriftSeen(), IsEmpty());
  c.Receive(
      R"({"type":"control_request","request_id":"1","request":{"subtype":)"
      R"("dance"}})");
  EXPECT_THAT(c.DriftSeen(), ElementsAre("type  control_request = dance"));
  EXPECT_THAT(c.All<Raw>(), SizeIs(3));
  EXPECT_EQ(c.All<Raw>()[2].type, "control_request/dance");
}

TEST(ClaudeControlTest, OfOurRequestsOnlyRefusalsAreTold) {
  constexpr absl::string_view kInterrupt =
      R"({"type":"control_request","request_id":"interrupt-1.1",)"
      R"("request":{"subtype":"interrupt"}})";
  const std::string granted = Answer("interrupt-1.1", R"("response":{})");
  Conversation c;
  c.Write(kInterrupt).Receive(granted);
  EXPECT_THAT(c.messages(), IsEmpty());
  c.Receive(granted);
  EXPECT_THAT(c.All<Raw>(), SizeIs(1)) << "nobody asked again";
  c.Write(kInterrupt);
  c.Receive(Answer("interrupt-1.1", R"("error":"not now")", "error"));
  ASSERT_THAT(c.All<Notice>(), SizeIs(1));
  EXPECT_EQ(c.All<Notice>()[0].kind, Notice::Kind::kError);
  EXPECT_EQ(c.All<Notice>()[0].text, "interrupt-1.1: not now");
  EXPECT_THAT(c.All<Raw>(), SizeIs(1));
}

constexpr absl::string_view kConfirmed =
    R"({"type":"control_response","response":{"subtype":"success",)"
    R"("request_id":"interrupt-1.1"}})";
constexpr absl::string_view kInterrupt =
    R"({"type":"control_request","request_id":"interrupt-1.1",)"
    R"("request":{"subtype":"interrupt"}})";
constexpr absl::string_view kInit = R"({"type":"system","subtype":"init"})";

TEST(ClaudeControlTest, AnInterruptBeforeTheTurnBeginsIsSentAgain) {
  Conversation c;
  c.Write(Prompt("a")).Write(kInterrupt).Receive(kConfirmed);
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
  c.Receive(kInit);
  ASSERT_THAT(c.protocol().outbox(), SizeIs(1));
  EXPECT_EQ(c.protocol().outbox()[0].key, "interrupt-1.1");
}

TEST(ClaudeControlTest, AnInterruptOfATurnThatRunsIsSentOnce) {
  Conversation c;
  c.Write(Prompt("a")).Receive(kInit).Write(kInterrupt).Receive(kConfirmed);
  c.Receive(kResult).Write(Prompt("b")).Receive(kInit);
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
}

TEST(ClaudeControlTest, ALateConfirmationIsNotForTheNextTurn) {
  Conversation c;
  c.Write(Prompt("a")).Receive(kInit).Write(kInterrupt).Receive(kResult);
  c.Write(Prompt("b")).Receive(kConfirmed).Receive(kInit);
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
}

TEST(ClaudeControlTest, APromptOpensATurn) {
  Conversation c;
  c.Write(Prompt("hello"));
  EXPECT_EQ(c.All<UserInput>()[0].text, "hello");
  c.End();
  ASSERT_THAT(c.All<Result>(), SizeIs(1));
  EXPECT_TRUE(c.All<Result>()[0].synthetic);
}

TEST(ClaudeControlTest, APromptWhileBusyFoldsIntoTheTurn) {
  Conversation c;
  c.Write(Prompt("a")).Receive(R"({"type":"system","subtype":"init"})");
  c.Write(Prompt("b")).Receive(kResult);
  EXPECT_THAT(c.All<Result>(), SizeIs(1));
  c.Write(Prompt("c")).End();
  EXPECT_THAT(c.All<Result>(), SizeIs(2));
  EXPECT_THAT(c.All<UserInput>(), SizeIs(3));
}

TEST(ClaudeControlTest, EchoesOfWhatWasWrittenAreSaidOnce) {
  Conversation c;
  const std::string echo =
      R"({"type":"user","message":{"content":"a"},"isReplay":true})";
  c.Write(Prompt("a")).Receive(echo);
  EXPECT_THAT(c.All<UserInput>(), SizeIs(1));
  c.Receive(echo);
  EXPECT_THAT(c.All<UserInput>(), SizeIs(2)) << "nobody wrote this one";
  for (int i = 0; i < 1000; ++i) c.Write(Prompt(absl::StrCat(i)));
  c.Receive(R"({"type":"user","message":{"content":"999"},"isReplay":true})");
  EXPECT_THAT(c.All<UserInput>(), SizeIs(1002));
}

TEST(ClaudeControlTest, PromptsMayHoldImages) {
  Conversation c;
  c.Write(
      R"({"type":"user","message":{"role":"user","content":[{"type":"image",)"
      R"("source":{}},{"type":"text","text":"see"}]}})");
  c.Write(R"({"type":"user","message":{"role":"user","content":"plain"}})");
  EXPECT_EQ(c.All<UserInput>()[0].images, 1);
  EXPECT_EQ(c.All<UserInput>()[0].text, "see");
  EXPECT_EQ(c.All<UserInput>()[1].text, "plain");
}

TEST(ClaudeControlTest, OtherWrittenLinesGiveNothing) {
  Conversation c;
  for (const absl::string_view line :
       {"", "not json", "[1]", "7", "{", R"({"type":7})",
        R"({"type":"control_request","request":{"subtype":"interrupt"}})",
        R"({"type":"control_response"})",
        R"({"type":"control_response","response":{"request_id":"none"}})"}) {
    c.Write(line);
  }
  c.End();
  EXPECT_THAT(c.messages(), IsEmpty());
}

TEST(ClaudeControlTest, AHugeRequestIsRefused) {
  Conversation c;
  Record record = RecordOf(
      R"({"type":"control_request","request_id":"r1","request":{"subtype":)");
  record.size = kMaxLineBytes + 1;
  std::vector<Message> messages;
  const auto sink = [&](Message&& m) { messages.push_back(std::move(m)); };
  c.protocol().OnReceived(record, sink);
  EXPECT_THAT(Payloads<Raw>(messages), SizeIs(1));
  ASSERT_THAT(Payloads<Notice>(messages), SizeIs(1));
  EXPECT_EQ(Payloads<Notice>(messages)[0].kind,
            Notice::Kind::kPermissionDenied);
  ASSERT_THAT(c.protocol().outbox(), SizeIs(1));
  EXPECT_THAT(c.protocol().outbox()[0].bytes,
              HasSubstr(R"("subtype":"error","request_id":"r1")"));
}

TEST(ClaudeControlTest, AHugePromptIsAPointer) {
  Conversation c;
  Record record = RecordOf(R"({"type":"user")");
  record.size = kMaxLineBytes + 1;
  std::vector<Message> messages;
  const auto sink = [&](Message&& m) { messages.push_back(std::move(m)); };
  c.protocol().OnWritten(record, sink);
  c.protocol().OnNote(RecordOf("", 2), ProcessEnded{}, sink);
  ASSERT_THAT(Payloads<Raw>(messages), SizeIs(1));
  EXPECT_EQ(Payloads<Raw>(messages)[0].line, "");
  EXPECT_THAT(Payloads<Result>(messages), SizeIs(1));
}

constexpr absl::string_view kLaunched =
    R"({"type":"assistant","message":{"id":"m","content":[{"type":"tool_use",)"
    R"("id":"t1","name":"Task","input":{}}]}})"
    "\n"
    R"({"type":"system","subtype":"task_started","task_id":"a1",)"
    R"("tool_use_id":"t1","task_type":"local_agent"})"
    "\n"
    R"({"type":"user","message":{"role":"user","content":[{"type":)"
    R"("tool_result","tool_use_id":"t1","content":"launched"}]}})"
    "\n"
    R"({"type":"assistant","message":{"id":"n","content":[{"type":"tool_use",)"
    R"("id":"t2","name":"Bash","input":{}}]},"parent_tool_use_id":"t1"})";
constexpr absl::string_view kSubagentAsks =
    R"({"type":"control_request","request_id":"r1","request":{"subtype":)"
    R"("can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t2",)"
    R"("agent_id":"a1"}})";
constexpr absl::string_view kTurnEnds =
    R"({"type":"result","subtype":"success","is_error":false,"result":"x"})";

TEST(ClaudeControlTest, ASubagentInTheBackgroundAsksAfterTheTurn) {
  for (const bool before : {false, true}) {
    Conversation c;
    c.Receive(kLaunched);
    if (before) c.Receive(kSubagentAsks);
    c.Receive(kTurnEnds);
    if (!before) c.Receive(kSubagentAsks);
    ASSERT_THAT(c.All<Approval>(), SizeIs(1));
    EXPECT_THAT(c.All<ToolResult>(), SizeIs(1));  // t2 runs on.
    c.Write(R"({"type":"control_response","response":{"subtype":"success",)"
            R"("request_id":"r1","response":{"behavior":"allow"}}})");
    ASSERT_THAT(c.All<Approval>(), SizeIs(2));
    EXPECT_EQ(c.All<Approval>()[1].state, Approval::State::kAllowed);
    for (const Message& message : c.messages()) {
      if (std::holds_alternative<Approval>(message.payload)) {
        EXPECT_EQ(message.parent_tool_use_id, "t1");
      }
    }
    c.Receive(R"({"type":"user","message":{"role":"user","content":[{"type":)"
              R"("tool_result","tool_use_id":"t2","content":"done"}]},)"
              R"("parent_tool_use_id":"t1"})");
    ASSERT_THAT(c.All<ToolResult>(), SizeIs(2));
    EXPECT_FALSE(c.All<ToolResult>()[1].synthetic);
    EXPECT_THAT(c.All<Raw>(), IsEmpty());
  }
}

TEST(ClaudeControlTest, WhatASubagentAskedEndsWithIt) {
  Conversation c;
  c.Receive(kLaunched).Receive(kSubagentAsks).Receive(kTurnEnds);
  c.Receive(R"({"type":"system","subtype":"task_notification","task_id":"a1",)"
            R"("status":"stopped"})");
  ASSERT_THAT(c.All<Approval>(), SizeIs(2));
  EXPECT_EQ(c.All<Approval>()[1].state, Approval::State::kCancelled);
  EXPECT_EQ(c.All<Approval>()[1].reason,
            "the subagent ended and no answer was seen");
  c.End();
  EXPECT_THAT(c.All<ToolResult>(), SizeIs(2));
  EXPECT_THAT(c.All<Result>(), SizeIs(1));
}

TEST(ClaudeControlTest, WhatTheMainAgentAskedEndsWithItsTurn) {
  Conversation c;
  c.Receive(
      R"({"type":"control_request","request_id":"r1","request":{"subtype":)"
      R"("can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t9",)"
      R"("agent_id":"session"}})");
  c.Receive(kTurnEnds);
  ASSERT_THAT(c.All<Approval>(), SizeIs(2));
  EXPECT_EQ(c.All<Approval>()[1].state, Approval::State::kCancelled);
}

TEST(ClaudeControlTest, APlanIsAsked) {
  Conversation c;
  c.Receive(
      R"({"type":"control_request","request_id":"r1","request":{"subtype":)"
      R"("can_use_tool","tool_name":"ExitPlanMode",)"
      R"("input":{"plan":"# Plan"},"tool_use_id":"t9"}})");
  ASSERT_THAT(c.All<Approval>(), SizeIs(1));
  EXPECT_EQ(c.All<Approval>()[0].kind, Approval::Kind::kPlan);
  EXPECT_EQ(c.All<Approval>()[0].input_json, R"({"plan":"# Plan"})");
}

}  // namespace
}  // namespace troika::claude
