#include "task/denials.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/replay.h"
#include "task/testing.h"

namespace troika {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Result Collect(Denials& denials, std::vector<Payload> payloads,
               Result result = {}) {
  for (Payload& payload : payloads) {
    denials.Add(Message{.payload = std::move(payload)});
  }
  denials.MoveTo(&result);
  return result;
}

TEST(DenialsTest, OneToolUseCountsOnce) {
  Denials denials;
  Result listed;
  listed.denial_count = 2;
  listed.denials = {{.tool_use_id = "t1", .tool_name = "Bash"},
                    {.tool_use_id = "t2", .tool_name = "Write"}};
  const Result result = Collect(
      denials,
      {ToolUse{.id = "t1", .name = "Bash"},
       Approval{.id = "a",
                .state = Approval::State::kDenied,
                .tool_use_id = "t1",
                .tool_name = "Bash",
                .reason = "not now",
                .by = "user"},
       Notice{.kind = Notice::Kind::kPermissionDenied,
              .text = "Bash: not now",
              .tool_use_id = "t1"},
       ToolResult{.tool_use_id = "t1", .is_error = true, .denied = true}},
      listed);
  EXPECT_EQ(result.denial_count, 2);
  ASSERT_THAT(result.denials, SizeIs(2));
  EXPECT_EQ(result.denials[0], (Denial{.tool_use_id = "t1",
                                       .tool_name = "Bash",
                                       .reason = "not now",
                                       .by = "user"}));
  EXPECT_EQ(result.denials[1].tool_name, "Write");
  EXPECT_THAT(Collect(denials, {}, listed).denials, IsEmpty())
      << "a list that repeats an earlier turn's";
}

TEST(DenialsTest, OnlyDenialsCount) {
  Denials denials;
  const Result result = Collect(
      denials, {Approval{.id = "a", .state = Approval::State::kAllowed},
                Approval{.id = "b", .state = Approval::State::kCancelled},
                Notice{.kind = Notice::Kind::kError, .text = "denied"},
                ToolResult{.tool_use_id = "t", .is_error = true}});
  EXPECT_EQ(result, Result());
}

TEST(DenialsTest, ManyAndLongOnesAreBounded) {
  Denials denials;
  const std::string text(10000, 'x');
  std::vector<Payload> payloads;
  for (int i = 0; i < 100; ++i) {
    payloads.push_back(ToolResult{
        .tool_use_id = absl::StrCat(i, text), .output = text, .denied = true});
  }
  const Result result = Collect(denials, std::move(payloads));
  EXPECT_EQ(result.denial_count, 100);
  ASSERT_THAT(result.denials, SizeIs(kMaxDenials));
  EXPECT_THAT(result.denials[0].reason, SizeIs(200));
  EXPECT_THAT(result.denials[0].tool_use_id, SizeIs(200));
}

constexpr absl::string_view kDeclined =
    R"({"type":"item.completed","item":{"id":"item_1",)"
    R"("type":"command_execution","command":"ls","aggregated_output":"",)"
    R"("exit_code":null,"status":"declined"}})";

TEST(DenialsTest, DeclinedItemOfCodexMakesTheTurnDenied) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(kTool).Stdout(kDeclined).Stdout(kTurnCompleted);
  log.Note(notes::Exited{.code = 0});
  Replay replay;
  const Result result = LastResult(RunLog(replay, log));
  ASSERT_THAT(result.denials, SizeIs(1));
  EXPECT_EQ(result.denials[0].tool_name, "Bash");
  EXPECT_EQ(result.denials[0].tool_use_id, "item_1");
  EXPECT_EQ(StatusOf(replay), "done");
  EXPECT_EQ(replay.state().outcome, TurnOutcome::kDenied);
  // The next turn starts anew.
  Replay again;
  log.Note(notes::Turn{.turn = 2, .prompt = "more"}).GoodTurn(2);
  EXPECT_EQ(LastResult(RunLog(again, log)).denial_count, 0);
  EXPECT_EQ(again.state().outcome, TurnOutcome::kDone);
}

TEST(DenialsTest, WithdrawnTurnTakesNoDenialsOfTheRunningOne) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(kTool).Stdout(kDeclined);
  log.Note(notes::Turn{.turn = 2, .prompt = "more"});
  log.Note(notes::Interrupt{.by = "user"}).Note(notes::Exited{.code = 1});
  Replay replay;
  std::vector<int> counts;
  for (const Message& message : RunLog(replay, log)) {
    if (const auto* result = std::get_if<Result>(&message.payload)) {
      counts.push_back(result->denial_count);
    }
  }
  EXPECT_EQ(counts, (std::vector<int>{0, 1}));
  EXPECT_EQ(replay.state().outcome, TurnOutcome::kInterrupted);
}

}  // namespace
}  // namespace troika
