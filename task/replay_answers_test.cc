// What the log tells of answers to approvals and questions.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/replay.h"
#include "task/state_testing.h"
#include "task/testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kAsk =
    R"({"type":"control_request","request_id":"r","request":{"subtype":)"
    R"("can_use_tool","tool_name":"Bash","input":{"command":"make"}}})";
constexpr absl::string_view kDenied =
    R"({"type":"control_response","response":{"subtype":"success",)"
    R"("request_id":"r","response":{"behavior":"deny","message":"no"}}})";

notes::Answer Deny() {
  return {.id = "r",
          .by = "user",
          .via = "api",
          .answer = ApprovalAnswer{.reason = "no", .choice = "deny"}};
}

// A process of this version of Claude that asks.
void Ask(LogMaker& log, absl::string_view version = "2.1.197") {
  log.Begin("claude")
      .Note(notes::Spawned{.generation = 1,
                           .turn = 1,
                           .version = std::string(version),
                           .stdin_mode = "conversation"})
      .Stdin(R"({"type":"user","message":{"content":"go"}})", "turn-1.prompt")
      .Stdout(kAsk);
}

TEST(ReplayAnswersTest, ALateAnswerIsToldWithWhatToDo) {
  LogMaker log;
  Ask(log);
  log.Note(Deny()).Note(notes::Exited{.code = 1});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  const auto approvals = Payloads<Approval>(messages);
  ASSERT_THAT(approvals, SizeIs(3));
  EXPECT_EQ(approvals[1].delivery, Delivery::kAccepted);
  EXPECT_EQ(approvals[2].state, Approval::State::kCancelled);
  EXPECT_EQ(approvals[2].delivery, Delivery::kLate);
  EXPECT_EQ(approvals[2].choice, "deny");
  EXPECT_EQ(approvals[2].by, "user");
  EXPECT_THAT(Texts(messages),
              HasSubstr("the answer to r (deny, by user) came too late: the "
                        "process ended"));
  EXPECT_THAT(replay.state().hint, HasSubstr("troika send t1 \"My answer"));
  EXPECT_THAT(replay.state().approvals, IsEmpty());
  ASSERT_THAT(replay.state().settled, SizeIs(1));
  EXPECT_EQ(replay.state().settled[0].delivery, Delivery::kLate);
}

TEST(ReplayAnswersTest, WhatNobodyAnsweredIsNotLate) {
  LogMaker log;
  Ask(log);
  log.Note(notes::Exited{.code = 1});
  Replay replay;
  const auto approvals = Payloads<Approval>(RunLog(replay, log));
  ASSERT_THAT(approvals, SizeIs(2));
  EXPECT_EQ(approvals[1].delivery, Delivery::kUnanswered);
  EXPECT_THAT(replay.state().hint, IsEmpty());
}

TEST(ReplayAnswersTest, TheSecondAnswerIsPassedOver) {
  LogMaker log;
  Ask(log);
  notes::Answer second = Deny();
  second.answer = ApprovalAnswer{.allow = true};
  log.Note(Deny()).Note(second);
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_THAT(Payloads<Approval>(messages), SizeIs(2));
  EXPECT_THAT(Texts(messages), HasSubstr("is passed over"));
  ASSERT_THAT(replay.outbox(), SizeIs(1));
  EXPECT_THAT(replay.outbox()[0].bytes, HasSubstr("deny"));
}

TEST(ReplayAnswersTest, AnAnswerOfALaterVersionDenies) {
  LogMaker log;
  Ask(log);
  log.Note(notes::Unknown{
      .json = R"({"note":"answer","id":"r","by":"user","answer":{"x":1}})"});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(Payloads<Approval>(messages).back().state,
            Approval::State::kDenied);
  EXPECT_THAT(Texts(messages), HasSubstr("so it counts as a denial"));
  ASSERT_THAT(replay.outbox(), SizeIs(1));
  EXPECT_THAT(replay.outbox()[0].bytes, HasSubstr("deny"));
}

// Versions that we know to ask are told the reason with the denial; another one
// is told by a prompt.
TEST(ReplayAnswersTest, AReasonThatTheWireLacksIsOwedUntilItsPrompt) {
  LogMaker log;
  Ask(log, "1.0.59");
  log.Note(Deny());
  {
    Replay replay;
    RunLog(replay, log);
    ASSERT_THAT(replay.state().owed_reasons, SizeIs(1));
    EXPECT_EQ(replay.state().owed_reasons[0].key, "denial-6");
    EXPECT_EQ(replay.state().owed_reasons[0].prompt,
              "I did not allow Bash `make`: no");
  }
  log.Stdin(kDenied, "answer-1.1")
      .Note(notes::Turn{.turn = 2,
                        .prompt = "I did not allow it",
                        .by = "denial",
                        .request_key = "denial-6"});
  Replay replay;
  RunLog(replay, log);
  EXPECT_THAT(replay.state().owed_reasons, IsEmpty());
  EXPECT_EQ(replay.state().last_request_key, "") << "a user's key stays";
  ASSERT_THAT(replay.outbox(), SizeIs(1));
  EXPECT_THAT(replay.outbox()[0].bytes, HasSubstr("I did not allow it"));

  LogMaker carries;
  Ask(carries);
  carries.Note(Deny());
  Replay told;
  RunLog(told, carries);
  EXPECT_THAT(told.state().owed_reasons, IsEmpty());
}

TEST(ReplayAnswersTest, AReasonThatTheAgentNeverHeardIsTold) {
  LogMaker log;
  Ask(log, "1.0.59");
  log.Note(Deny()).Stdin(kDenied, "answer-1.1").Note(notes::Exited{.code = 0});
  Replay replay;
  EXPECT_THAT(Texts(RunLog(replay, log)),
              HasSubstr("the agent ended before it was told why r was denied"));
  EXPECT_THAT(replay.state().owed_reasons, IsEmpty());
}

}  // namespace
}  // namespace troika
