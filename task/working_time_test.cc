// How long a task has been worked on, and which deadline comes next.
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/reduce.h"
#include "task/replay.h"
#include "task/testing.h"
#include "task/watchdog.h"

namespace troika {
namespace {

using Kind = Alarm::Kind;

constexpr absl::Duration kNight = absl::Hours(8);

notes::Clock Leap(absl::Duration by) { return {.leap = by}; }

// How long after the last record the next deadline comes.
absl::Duration AlarmIn(const TaskState& state, Kind kind) {
  const Alarm alarm = NextAlarm(state);
  EXPECT_EQ(alarm.kind, kind) << DeadlineName(alarm.kind, state);
  return alarm.at - *state.awake.now;
}

TEST(WorkingTimeTest, TurnsAreSummedWithoutWhatLiesBetween) {
  LogMaker log;
  log.Begin("codex").Pass(absl::Hours(30));  // In the queue.
  log.Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted).Pass(absl::Hours(1));
  log.Stdout(kAnswer).Stdout(kTurnCompleted).Note(notes::Exited{.code = 0});
  Replay replay;
  RunLog(replay, log);
  // From `spawned` to the turn's result, a second a record.
  EXPECT_EQ(replay.state().worked, absl::Hours(1) + absl::Seconds(4));
  log.Pass(absl::Hours(100)).Note(notes::Turn{.turn = 2, .prompt = "more"});
  log.Pass(absl::Hours(100)).Spawn(2, 2).Stdout(kThread).Stdout(kTurnStarted);
  log.Pass(absl::Minutes(10)).Stdout(kTurnCompleted);
  Replay again;
  RunLog(again, log);
  EXPECT_EQ(again.state().worked,
            absl::Hours(1) + absl::Minutes(10) + absl::Seconds(7));
}

TEST(WorkingTimeTest, WaitingForAPersonIsNoWork) {
  TaskState state;
  const auto at = [&](int second, Payload payload) {
    state.awake.now = absl::FromUnixSeconds(second);
    Reduce({.time = state.awake.now, .payload = std::move(payload)}, &state);
  };
  at(0, Lifecycle{.kind = Lifecycle::Kind::kTurnAsked});
  at(100, Lifecycle{.kind = Lifecycle::Kind::kSpawned, .generation = 1});
  at(110, Init{});
  EXPECT_EQ(state.awake.working_since, absl::FromUnixSeconds(100));
  at(120, Approval{.id = "a"});
  EXPECT_EQ(state.worked, absl::Seconds(20));
  EXPECT_EQ(state.awake.working_since, std::nullopt);
  at(5000, Approval{.id = "a", .state = Approval::State::kAllowed});
  at(5010, Result{});
  EXPECT_EQ(state.worked, absl::Seconds(30));
  at(9000, Lifecycle{.kind = Lifecycle::Kind::kExited, .exit_code = 0});
  EXPECT_EQ(state.worked, absl::Seconds(30));
}

TEST(WorkingTimeTest, ToolsHaveTheirTimeWithoutWhatTheyWaitForAPerson) {
  TaskState state;
  state.timeouts.tool = absl::Seconds(100);
  const auto at = [&](int second, Payload payload,
                      const std::string& parent = "") {
    state.awake.now = absl::FromUnixSeconds(second);
    Reduce({.time = state.awake.now,
            .parent_tool_use_id = parent,
            .payload = std::move(payload)},
           &state);
  };
  const auto approval = [](const std::string& tool, Approval::State answer,
                           Delivery delivery) {
    return Approval{
        .id = "a", .state = answer, .tool_use_id = tool, .delivery = delivery};
  };
  const auto asked = Approval::State::kAsked;
  const auto allowed = Approval::State::kAllowed;
  at(0, Lifecycle{.kind = Lifecycle::Kind::kTurnAsked});
  at(0, Lifecycle{.kind = Lifecycle::Kind::kSpawned, .generation = 1});
  at(10, ToolUse{.id = "u", .name = "Bash"});
  EXPECT_EQ(NextAlarm(state).tool, "Bash");
  EXPECT_EQ(AlarmIn(state, Kind::kTool), absl::Seconds(100));
  at(30, approval("u", asked, Delivery::kUnanswered));
  EXPECT_NE(NextAlarm(state).kind, Kind::kTool);
  // Another one runs on meanwhile.
  at(40, ToolUse{.id = "v", .name = "Read"});
  EXPECT_EQ(NextAlarm(state).tool, "Read");
  at(1000, approval("u", allowed, Delivery::kAccepted));
  EXPECT_EQ(NextAlarm(state).tool, "Read");
  at(1001, ToolResult{.tool_use_id = "v"});
  EXPECT_EQ(NextAlarm(state).tool, "Bash");
  EXPECT_EQ(AlarmIn(state, Kind::kTool), absl::Seconds(79));
  at(1002, approval("u", allowed, Delivery::kDelivered));
  EXPECT_EQ(AlarmIn(state, Kind::kTool), absl::Seconds(78));
  // A subagent that asks keeps the tool waiting whose agent it is.
  at(1010, ToolUse{.id = "w", .name = "Edit"}, "u");
  EXPECT_EQ(state.open_tools.size(), 1u);
  at(1012, approval("w", asked, Delivery::kUnanswered), "u");
  EXPECT_NE(NextAlarm(state).kind, Kind::kTool);
  at(2012, approval("w", allowed, Delivery::kDelivered), "u");
  EXPECT_EQ(AlarmIn(state, Kind::kTool), absl::Seconds(68));
  at(2013, Question{.id = "q", .tool_use_id = "u"});
  EXPECT_NE(NextAlarm(state).kind, Kind::kTool);
  at(2020, Result{});
  EXPECT_TRUE(state.open_tools.empty());
}

TEST(WorkingTimeTest, SleepIsNoWork) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Pass(kNight).Note(Leap(kNight));
  Replay replay;
  RunLog(replay, log);
  // What people are told is the real time.
  EXPECT_EQ(replay.state().last_activity, absl::FromUnixSeconds(5));
  log.Stdout(kAnswer);
  Replay awake;
  RunLog(awake, log);
  EXPECT_EQ(awake.state().last_activity, absl::FromUnixSeconds(7) + kNight);
  EXPECT_EQ(AlarmIn(awake.state(), Kind::kIdle), absl::Hours(1));
  log.Stdout(kTurnCompleted);
  Replay ended;
  RunLog(ended, log);
  EXPECT_EQ(ended.state().worked, absl::Seconds(5));
}

TEST(WorkingTimeTest, NoMessageComesOfALeap) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Note(Leap(kNight));
  Replay replay;
  const size_t before = RunLog(replay, log, 3).size();
  Replay again;
  EXPECT_EQ(RunLog(again, log).size(), before);
}

TEST(WorkingTimeTest, DeadlinesGoOnWhereTheyStoodBeforeTheSleep) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Pass(absl::Minutes(20) + kNight).Note(Leap(kNight));
  Replay replay;
  RunLog(replay, log);
  EXPECT_EQ(AlarmIn(replay.state(), Kind::kIdle),
            absl::Minutes(40) - absl::Seconds(1));
  // Set back, by a day.
  log.Pass(-absl::Hours(24)).Note(Leap(-absl::Hours(24)));
  Replay back;
  RunLog(back, log);
  EXPECT_EQ(AlarmIn(back.state(), Kind::kIdle),
            absl::Minutes(40) - absl::Seconds(2));
}

TEST(WorkingTimeTest, LostProcessWorkedUpToItsLastRecord) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  // By another clock, after the machine was started again.
  log.Pass(absl::Hours(50)).Note(notes::Lost{.reason = "power"});
  Replay replay;
  RunLog(replay, log);
  EXPECT_EQ(replay.state().worked, absl::Seconds(2));
}

TEST(WorkingTimeTest, NextProcessHasAClockOfItsOwn) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Pass(kNight).Note(Leap(kNight)).Stdout(kTurnCompleted);
  log.Note(notes::Exited{.code = 0});
  // The real time was a mistake, and is set right before the next process.
  log.Pass(-absl::Hours(300)).Note(notes::Turn{.turn = 2, .prompt = "more"});
  log.Spawn(2, 2);
  Replay replay;
  RunLog(replay, log);
  EXPECT_EQ(replay.state().awake.leaps, absl::ZeroDuration());
  EXPECT_EQ(AlarmIn(replay.state(), Kind::kStart), absl::Minutes(2));
  log.Stdout(kThread);
  Replay spoke;
  RunLog(spoke, log);
  EXPECT_EQ(AlarmIn(spoke.state(), Kind::kIdle), absl::Hours(1));
}

TEST(WorkingTimeTest, TaskDeadlineIsWhatIsLeftOfTheWorkingTime) {
  LogMaker log;
  log.Note(notes::Request{.task = "t1",
                          .harness = "codex",
                          .timeouts = {.idle = absl::InfiniteDuration(),
                                       .task = absl::Minutes(1)}});
  log.Note(notes::Turn{.turn = 1}).Spawn(1, 1);
  log.Stdout(kThread).Stdout(kTurnStarted).Pass(absl::Seconds(40));
  log.Stdout(kTurnCompleted).Note(notes::Exited{.code = 0});
  log.Pass(absl::Hours(48)).Note(notes::Turn{.turn = 2});
  log.Spawn(2, 2);
  Replay replay;
  RunLog(replay, log);
  EXPECT_EQ(replay.state().worked, absl::Seconds(43));
  EXPECT_EQ(WorkLeft(replay.state()), absl::Seconds(17));
  EXPECT_EQ(AlarmIn(replay.state(), Kind::kTask), absl::Seconds(17));
  EXPECT_EQ(WorkLeft(replay.state(), {.task = absl::Seconds(43)}),
            absl::ZeroDuration());
  EXPECT_EQ(WorkLeft(replay.state(), {.task = absl::InfiniteDuration()}),
            absl::InfiniteDuration());
}

TEST(WorkingTimeTest, TurnsChangeTheTimeoutsThatTheyName) {
  LogMaker log;
  log.Note(notes::Request{.task = "t1",
                          .harness = "codex",
                          .timeouts = {.start = absl::Milliseconds(1),
                                       .idle = absl::Milliseconds(2),
                                       .turn = absl::Milliseconds(3),
                                       .task = absl::Milliseconds(4)}});
  log.Note(
      notes::Turn{.turn = 1, .timeouts = {.task = absl::Milliseconds(50)}});
  log.Note(
      notes::Turn{.turn = 2, .timeouts = {.start = absl::Milliseconds(60)}});
  Replay replay;
  RunLog(replay, log);
  EXPECT_TRUE(replay.state().timeouts ==
              (notes::Timeouts{.start = absl::Milliseconds(60),
                               .idle = absl::Milliseconds(2),
                               .turn = absl::Milliseconds(3),
                               .task = absl::Milliseconds(50)}));
}

}  // namespace
}  // namespace troika
