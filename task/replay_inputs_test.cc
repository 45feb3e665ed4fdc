// What becomes of inputs, from logs.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/inputs.h"
#include "task/replay.h"
#include "task/state_testing.h"
#include "task/testing.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr absl::string_view kInit =
    R"({"type":"system","subtype":"init","session_id":"s1"})";
constexpr absl::string_view kGood =
    R"({"type":"result","subtype":"success","is_error":false,"result":"ok"})";

std::string ReceiptText(const Receipt& receipt) {
  constexpr absl::string_view kStates[] = {"queued", "delivered", "failed",
                                           "withdrawn"};
  return absl::StrCat(receipt.id, " ", kStates[static_cast<int>(receipt.state)],
                      receipt.turn > 0 ? absl::StrCat(" ", receipt.turn) : "",
                      receipt.text.empty() ? "" : ": ", receipt.text,
                      receipt.reason.empty() ? "" : " because ",
                      receipt.reason);
}

std::vector<std::string> Receipts(const std::vector<Message>& messages) {
  std::vector<std::string> texts;
  for (const Message& message : messages) {
    if (const auto* receipt = std::get_if<Receipt>(&message.payload)) {
      texts.push_back(ReceiptText(*receipt));
    }
  }
  return texts;
}

std::vector<std::string> Inputs(const TaskState& state) {
  std::vector<std::string> texts;
  for (const TaskInput& input : state.inputs) {
    texts.push_back(ReceiptText(input.receipt));
  }
  return texts;
}

// A conversation with Claude, in its first turn.
void BeginClaude(LogMaker* log) {
  log->Begin("claude").Note(notes::Spawned{.generation = 1,
                                           .turn = 1,
                                           .version = "2.1.325",
                                           .stdin_mode = "conversation"});
  log->Stdin(R"({"type":"user"})", "turn-1.prompt").Stdout(kInit);
}

TEST(PromptLineTest, IsWhatTheTurnWillWantWritten) {
  const notes::Turn second = {.turn = 2, .prompt = "more"};
  LogMaker log;
  BeginClaude(&log);
  log.Stdout(kGood);
  Replay replay;
  RunLog(replay, log);
  const auto line = replay.PromptLine(second);
  ASSERT_TRUE(line.has_value());
  Tell(replay, 100, second);
  EXPECT_THAT(replay.outbox(), ElementsAre(*line));
  // What waits to be written goes first.
  EXPECT_EQ(replay.PromptLine({.turn = 3, .prompt = "x"}), std::nullopt);
}

TEST(PromptLineTest, IsNotKnownIfMoreIsWrittenOrNobodyTakesIt) {
  LogMaker log;
  BeginClaude(&log);
  log.Stdout(kGood);
  Replay replay;
  RunLog(replay, log);
  EXPECT_EQ(replay.PromptLine({.turn = 2, .prompt = "x", .model = "opus"}),
            std::nullopt);
  EXPECT_EQ(replay.PromptLine({.turn = 2, .from_queue = true}), std::nullopt);
  Tell(replay, 100, notes::StdinClosed{});
  EXPECT_EQ(replay.PromptLine({.turn = 2, .prompt = "x"}), std::nullopt);
  LogMaker codex;
  codex.Begin("codex").GoodTurn(1);
  Replay ended;
  RunLog(ended, codex);
  EXPECT_EQ(ended.PromptLine({.turn = 2, .prompt = "x"}), std::nullopt);
}

TEST(ReplayInputsTest, FirstPromptIsDeliveredWhenItIsWritten) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  Replay replay;
  EXPECT_THAT(Receipts(RunLog(replay, log)), ElementsAre("in-1 queued 1: go"));
  log.Stdin("go", "turn-1.prompt").Stdout(kThread);
  Replay again;
  EXPECT_THAT(Receipts(RunLog(again, log)),
              ElementsAre("in-1 queued 1: go", "in-1 delivered 1"));
  EXPECT_THAT(Inputs(again.state()), ElementsAre("in-1 delivered 1: go"));
}

TEST(ReplayInputsTest, StartThatFailedFailsTheInputAndHoldsTheQueue) {
  LogMaker log;
  log.Begin("codex").Note(notes::Input{.id = "in-2", .prompt = "more"});
  log.Note(notes::StartFailed{.generation = 1, .error = "none"});
  Replay replay;
  RunLog(replay, log);
  EXPECT_THAT(
      Inputs(replay.state()),
      ElementsAre("in-1 failed 1: go because the agent could not be started: "
                  "none",
                  "in-2 queued: more"));
  EXPECT_TRUE(replay.state().queue_held);
  EXPECT_EQ(NextInput(replay.state()), nullptr);
}

TEST(ReplayInputsTest, QueuedInputIsEditedAndSentAsATurn) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdin("go", "turn-1.prompt").Stdout(kThread);
  log.Note(notes::Input{
      .id = "in-2", .prompt = "more", .by = "user", .request_key = "k"});
  log.Note(notes::InputEdited{.id = "in-2", .prompt = "much more"});
  log.Stdout(kTurnStarted)
      .Stdout(kTurnCompleted)
      .Note(notes::Exited{.code = 0});
  Replay before;
  RunLog(before, log);
  EXPECT_EQ(StatusOf(before), "done");
  ASSERT_NE(NextInput(before.state()), nullptr);
  EXPECT_EQ(NextInput(before.state())->request_key, "k");
  log.Note(notes::Turn{.turn = 2, .input = "in-2", .from_queue = true});
  log.Spawn(2, 2).Stdin("much more", "turn-2.prompt");
  Replay replay;
  EXPECT_THAT(Receipts(RunLog(replay, log)),
              ElementsAre("in-1 queued 1: go", "in-1 delivered 1",
                          "in-2 queued: more", "in-2 queued: much more",
                          "in-2 queued 2", "in-2 delivered 2"));
  EXPECT_EQ(replay.state().turns, 2);
  EXPECT_EQ(replay.state().last_request_key, "k");
  EXPECT_EQ(replay.queued_input("in-2"), nullptr);
}

TEST(ReplayInputsTest, InputIsSentOnceAndNeverAfterItWasWithdrawn) {
  LogMaker log;
  log.Begin("codex").GoodTurn(1);
  log.Note(notes::Input{.id = "in-2", .prompt = "more"});
  log.Note(notes::InputWithdrawn{.id = "in-2", .by = "user", .reason = "no"});
  log.Note(notes::Turn{.turn = 2, .input = "in-2", .from_queue = true});
  log.Note(notes::InputEdited{.id = "in-2", .prompt = "again"});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_THAT(
      Inputs(replay.state()),
      ElementsAre(HasSubstr("in-1 delivered"),
                  "in-2 withdrawn: more because withdrawn by user: no"));
  EXPECT_EQ(replay.state().turns_waiting, 0);
  EXPECT_EQ(replay.state().turns, 2) << "the number is used up";
  EXPECT_THAT(Texts(messages), HasSubstr("in-2 does not wait to be sent"));
}

TEST(ReplayInputsTest, InterruptByAUserHoldsTheQueueUntilTheNextInput) {
  const struct {
    notes::Note note;
    bool held;
  } cases[] = {{notes::Interrupt{.by = "user"}, true},
               {notes::Stop{.by = "user"}, true},
               {notes::Stop{.by = "troika", .reason = "r"}, false},
               {notes::Deadline{.which = "turn"}, false}};
  for (const auto& c : cases) {
    LogMaker log;
    BeginClaude(&log);
    log.Note(notes::Input{.id = "in-2", .prompt = "more"}).Note(c.note);
    Replay replay;
    RunLog(replay, log);
    EXPECT_EQ(replay.state().queue_held, c.held);
    Tell(replay, 50, notes::QueueResumed{.by = "user"});
    EXPECT_FALSE(replay.state().queue_held);
    Tell(replay, 51, notes::Interrupt{.by = "user"});
    EXPECT_TRUE(replay.state().queue_held);
    Tell(replay, 52, notes::Input{.id = "in-3", .prompt = "and more"});
    EXPECT_FALSE(replay.state().queue_held);
    Tell(replay, 53, notes::Interrupt{.by = "user"});
    Tell(replay, 54, notes::Turn{.turn = 2, .prompt = "x", .input = "in-4"});
    EXPECT_FALSE(replay.state().queue_held);
  }
}

TEST(ReplayInputsTest, InputThatEndsTheTurnGoesFirst) {
  LogMaker log;
  BeginClaude(&log);
  log.Note(notes::Input{.id = "in-2", .prompt = "later"});
  log.Note(notes::Input{.id = "in-3", .prompt = "now", .interrupts = true});
  log.Note(notes::Interrupt{.by = "user"});
  Replay replay;
  RunLog(replay, log);
  EXPECT_FALSE(replay.state().queue_held);
  EXPECT_EQ(NextInput(replay.state())->receipt.id, "in-3");
}

TEST(ReplayInputsTest, CancelWithdrawsAllThatWaits) {
  LogMaker log;
  log.Begin("codex").Note(notes::Input{.id = "in-2", .prompt = "more"});
  log.Note(notes::Cancelled{.by = "user", .reason = "no"});
  Replay replay;
  RunLog(replay, log);
  EXPECT_THAT(Inputs(replay.state()),
              ElementsAre("in-1 withdrawn 1: go because cancelled: no",
                          "in-2 withdrawn: more because cancelled: no"));
  EXPECT_EQ(StatusOf(replay), "cancelled");
}

TEST(ReplayInputsTest, AProcessThatTakesOnePromptGetsOneTurn) {
  LogMaker log;
  log.Begin("codex").Note(notes::Turn{.turn = 2, .prompt = "more"});
  log.Note(notes::Spawned{.generation = 1,
                          .turn = 1,
                          .version = "0.166.0",
                          .stdin_mode = "prompt",
                          .wire = Wire::kExec});
  log.Stdin("go", "turn-1.prompt").Note(notes::Exited{.code = 1});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(StatusOf(replay), "queued");
  EXPECT_EQ(replay.state().turns_waiting, 1);
  ASSERT_NE(replay.waiting_turn(), nullptr);
  EXPECT_EQ(replay.waiting_turn()->turn, 2);
  EXPECT_THAT(Inputs(replay.state()),
              ElementsAre("in-1 delivered 1: go", "in-2 queued 2: more"));
}

TEST(ReplayInputsTest, NextProcessTakesWhatTheLastOneDidNotGet) {
  LogMaker log;
  BeginClaude(&log);
  log.Stdout(kGood).Note(notes::Turn{.turn = 2, .prompt = "more"});
  log.Note(notes::StdinClosed{}).Note(notes::Exited{.code = 0});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(StatusOf(replay), "queued");
  EXPECT_EQ(replay.state().turns_waiting, 1);
  EXPECT_EQ(replay.state().outcome, TurnOutcome::kDone);
  EXPECT_THAT(Inputs(replay.state()),
              ElementsAre("in-1 delivered 1: go", "in-2 queued 2: more"));
  int results = 0;
  for (const Message& message : messages) {
    results += std::holds_alternative<Result>(message.payload);
  }
  EXPECT_EQ(results, 1) << "the second turn has not ended";
  Tell(replay, 60,
       notes::Spawned{.generation = 2,
                      .turn = 2,
                      .version = "2.1.325",
                      .stdin_mode = "conversation"});
  ASSERT_THAT(replay.outbox(), SizeIs(1));
  EXPECT_EQ(replay.outbox()[0].key, "turn-2.prompt");
}

TEST(ReplayInputsTest, WhatNoProcessWillGetEnds) {
  // Nobody knows which session it was.
  LogMaker lost;
  lost.Begin("claude").Note(notes::Spawned{
      .generation = 1, .version = "2.1.325", .stdin_mode = "conversation"});
  lost.Note(notes::Exited{.code = 1});
  Replay crashed;
  RunLog(crashed, lost);
  EXPECT_EQ(StatusOf(crashed), "failed");
  EXPECT_THAT(Inputs(crashed.state()),
              ElementsAre("in-1 failed 1: go because exited with code 1"));
  LogMaker stop;
  BeginClaude(&stop);
  stop.Note(notes::Turn{.turn = 2, .prompt = "more"});
  stop.Note(notes::Stop{.by = "user"}).Note(notes::Exited{.signal = 9});
  Replay stopped;
  RunLog(stopped, stop);
  EXPECT_EQ(StatusOf(stopped), "interrupted");
  EXPECT_THAT(
      Inputs(stopped.state()),
      ElementsAre("in-1 delivered 1: go",
                  "in-2 withdrawn 2: more because interrupted by user"));
}

TEST(ReplayInputsTest, OnlyTheLastOfThoseThatEndedAreKept) {
  LogMaker log;
  log.Begin("codex").GoodTurn(1);
  log.Note(notes::Input{.id = "in-2", .prompt = "stays"});
  for (int i = 3; i < 60; ++i) {
    const std::string id = InputId(i);
    log.Note(notes::Input{.id = id, .prompt = std::string(5000, 'x')});
    log.Note(notes::InputFailed{.id = id, .reason = "r"});
  }
  Replay replay;
  RunLog(replay, log);
  ASSERT_THAT(replay.state().inputs, SizeIs(1 + kMaxEndedInputs));
  EXPECT_EQ(replay.state().inputs[0].receipt.id, "in-2");
  EXPECT_EQ(replay.state().inputs.back().receipt.id, "in-59");
  EXPECT_THAT(replay.state().inputs.back().receipt.text, SizeIs(200));
  EXPECT_EQ(replay.state().input_count, 59);
}

TEST(ReplayInputsTest, AgentThatAnswersHasItsPrompt) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Damage().Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(kTurnCompleted).Note(notes::Exited{.code = 0});
  Replay replay;
  RunLog(replay, log);
  EXPECT_THAT(Inputs(replay.state()), ElementsAre("in-1 delivered 1: go"));
}

}  // namespace
}  // namespace troika
