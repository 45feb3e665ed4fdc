#include "task/replay.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "agent/testing.h"
#include "dto/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/state_testing.h"
#include "task/testing.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ReplayTest, WholeSmallTask) {
  LogMaker log;
  log.Begin("codex");
  log.GoodTurn(1);
  Replay replay;
  EXPECT_EQ(Texts(RunLog(replay, log)),
            "1.0 lifecycle\n"
            "2.0 lifecycle kind=turn_asked turn=1 by=user\n"
            "2.1 receipt id=in-1 text=go by=user turn=1\n"
            "3.0 lifecycle kind=spawned generation=1 turn=1 text=\"codex 1.2 · "
            "research\"\n"
            "3.1 userInput text=go\n"
            "4.0 receipt id=in-1 state=delivered by=user turn=1\n"
            "5.0 lifecycle kind=input_closed generation=1\n"
            "6.0 init sessionId=th1\n"
            "7.0 notice kind=turn_started\n"
            "8.0 text text=hello\n"
            "9.0 usage turn={inputTokens=5 outputTokens=2} "
            "total={inputTokens=5 outputTokens=2}\n"
            "9.1 result text=hello reason=completed "
            "usage={turn={inputTokens=5 outputTokens=2} "
            "total={inputTokens=5 outputTokens=2}}\n"
            "10.0 lifecycle kind=exited generation=1 text=\"exited with code "
            "0\" exitCode=0\n");
  EXPECT_EQ(StateText(replay.state()),
            "task: \"t1\"\n"
            "harness: \"codex\"\n"
            "cwd: \"/src\"\n"
            "edit_mode: \"research\"\n"
            "status: \"done\"\n"
            "session_id: \"th1\"\n"
            "session_began: 1970-01-01T00:00:06.000000Z\n"
            "version: \"1.2\"\n"
            "generation: 1\n"
            "input_closed\n"
            "exit_code: 0\n"
            "turns: 1\n"
            "result: good\n"
            "result.text: \"hello\"\n"
            "result.reason: \"completed\"\n"
            "outcome: \"done\"\n"
            "input_count: 1\n"
            "input in-1 delivered: \"go | user | 0 | 1 |  | \"\n"
            "usage.input: 5\n"
            "usage.output: 2\n"
            "created: 1970-01-01T00:00:01.000000Z\n"
            "started: 1970-01-01T00:00:03.000000Z\n"
            "turn_started: 1970-01-01T00:00:03.000000Z\n"
            "last_activity: 1970-01-01T00:00:09.000000Z\n"
            "ended: 1970-01-01T00:00:10.000000Z\n"
            "worked: \"6s\"\n"
            "last_record: 10\n");
}

TEST(ReplayTest, TurnIsHeldUntilItsProcessIsThere) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  Replay replay;
  RunLog(replay, log, 2);
  EXPECT_EQ(StatusOf(replay), "queued");
  EXPECT_THAT(replay.outbox(), IsEmpty());
  Feed(replay, log.entries()[2], [](Message&&) {});
  EXPECT_THAT(replay.outbox(),
              ElementsAre(Outgoing{.key = "turn-1.prompt", .bytes = "go"},
                          Outgoing{.key = "turn-1.end",
                                   .kind = Outgoing::Kind::kClose}));
}

TEST(ReplayTest, OutboxShrinksByWhatIsSeenWritten) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdin("go", "turn-1.prompt");
  Replay replay;
  RunLog(replay, log);
  EXPECT_THAT(replay.outbox(), SizeIs(1));
  Tell(replay, 9, notes::StdinClosed{});
  EXPECT_THAT(replay.outbox(), IsEmpty());
}

TEST(ReplayTest, NextProcessGoesOnWhereTheLastEnded) {
  LogMaker log;
  log.Begin("codex");
  log.GoodTurn(1).Note(notes::Turn{.turn = 2, .prompt = "more"});
  log.Spawn(2, 2)
      .Stdout(kThread)
      .Stdout(kTurnStarted)
      .Stdout(kTool)
      .Stdout(R"({"type":"turn.completed","usage":{"input_tokens":9,)"
              R"("output_tokens":3}})");
  log.Note(notes::Exited{.code = 0});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(Payloads<ToolUse>(messages)[0].id, "g2.item_1");
  EXPECT_EQ(Payloads<Usage>(messages)[1].turn,
            (TokenCounts{.input = 4, .output = 1}));
  EXPECT_EQ(replay.state().generation, 2);
  EXPECT_EQ(replay.state().turns, 2);
  EXPECT_EQ(BrokenRules(messages), "");
}

TEST(ReplayTest, ForeignSessionHasAnUnknownTotal) {
  LogMaker log;
  log.Note(notes::Request{.harness = "codex", .resume_session = "th1"})
      .Note(notes::Turn{.turn = 1, .prompt = "go"});
  log.GoodTurn(1);
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(Payloads<Usage>(messages)[0].turn, std::nullopt);
  EXPECT_EQ(replay.state().usage.input, 5);
}

TEST(ReplayTest, OtherSessionThanExpectedIsFlagged) {
  LogMaker log;
  log.Begin("codex")
      .Note(notes::Spawned{.generation = 1, .expected_session = "th0"})
      .Stdout(kThread);
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_TRUE(replay.state().session_mismatch);
  EXPECT_EQ(EventText(messages.back()),
            "4.1 notice time=1970-01-01T00:00:04Z kind=error text=\"the agent "
            "is in the session th1, and th0 was asked for\"");
  Tell(replay, 9, notes::Stop{.by = "troika", .reason = "another session"});
  Tell(replay, 10, notes::Exited{.code = 1});
  EXPECT_EQ(StatusOf(replay), "failed");
  EXPECT_EQ(replay.state().error, "another session");
}

TEST(ReplayTest, InterruptedWhateverTheCode) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(kTool)
      .Note(notes::Interrupt{.by = "user"})
      .Note(notes::Signalled{.signal = 2, .by = "user"})
      .Stderr("Invalid API key")
      .Note(notes::Exited{.code = 1});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(StatusOf(replay), "interrupted");
  const Result result = LastResult(messages);
  EXPECT_TRUE(result.synthetic);
  EXPECT_EQ(result.error, "interrupted by user");
  EXPECT_THAT(result.hint, IsEmpty());
  EXPECT_EQ(BrokenRules(messages), "");
}

TEST(ReplayTest, ExitWithAnErrorHasStderrsTailAndAHint) {
  LogMaker log;
  log.Begin("codex")
      .Spawn(1, 1)
      .Stderr("Reading prompt from stdin...")
      .Stderr(
          "Not inside a trusted directory and --skip-git-repo-check was "
          "not specified.")
      .Note(notes::Exited{.code = 1});
  Replay replay;
  const Result result = LastResult(RunLog(replay, log));
  EXPECT_EQ(result.error,
            "exited with code 1: Not inside a trusted directory and "
            "--skip-git-repo-check was not specified.");
  EXPECT_THAT(result.hint, HasSubstr("skip_git_check"));
  EXPECT_EQ(StatusOf(replay), "failed");
  EXPECT_EQ(replay.state().error, result.error);
  EXPECT_EQ(replay.state().hint, result.hint);
}

TEST(ReplayTest, TailComesFromTheNoteWhereTheLogHasNone) {
  LogMaker log;
  log.Begin("gemini").Spawn(1, 1).Note(
      notes::Exited{.code = 41, .stderr_tail = "a\nset an Auth method\n"});
  Replay replay;
  const Result result = LastResult(RunLog(replay, log));
  EXPECT_EQ(result.error, "exited with code 41:\na\nset an Auth method");
  EXPECT_THAT(result.hint, HasSubstr("log in"));
}

TEST(ReplayTest, ExitWithoutAResultIsAFailureThoughTheCodeIsZero) {
  for (const absl::string_view harness : {"codex", "claude", "gemini"}) {
    LogMaker log;
    log.Begin(harness).Spawn(1, 1).Note(notes::Exited{.code = 0});
    Replay replay;
    const Result result = LastResult(RunLog(replay, log));
    EXPECT_TRUE(result.is_error && result.synthetic);
    EXPECT_EQ(result.error, "exited with code 0 and no result");
    EXPECT_EQ(StatusOf(replay), "failed");
  }
}

// An agent whose tools all fail may still end its turn as done.
TEST(ReplayTest, ToolsThatCantWorkHereGiveAGoodTurnAHint) {
  constexpr absl::string_view kEnd =
      R"({"type":"turn.completed","usage":{"input_tokens":9,)"
      R"("cached_input_tokens":0,"output_tokens":1}})";
  constexpr absl::string_view kFailed =
      R"({"type":"item.completed","item":{"id":"item_0",)"
      R"("type":"command_execution","command":"ls","aggregated_output":)"
      R"("bwrap: No permissions to create a new namespace\n",)"
      R"("exit_code":1,"status":"failed"}})";
  LogMaker by_tool;
  by_tool.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  by_tool.Stdout(kTool).Stdout(kFailed).Stdout(kEnd);
  LogMaker by_stderr;
  by_stderr.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  by_stderr.Stderr("error building bubblewrap command: cannot establish it")
      .Stdout(kEnd);
  LogMaker fine;
  fine.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  fine.Stderr("401 unauthorized").Stdout(kEnd);
  for (LogMaker* log : {&by_tool, &by_stderr, &fine}) {
    log->Note(notes::Exited{.code = 0});
    Replay replay;
    const Result result = LastResult(RunLog(replay, *log));
    EXPECT_FALSE(result.is_error);
    EXPECT_EQ(absl::StrContains(result.hint, "sandbox"), log != &fine);
    EXPECT_EQ(result.hint.empty(), log == &fine);
    EXPECT_EQ(replay.state().hint, result.hint);
    EXPECT_EQ(StatusOf(replay), "done");
  }
}

TEST(ReplayTest, HintComesFromAnErrorThatTheAgentTold) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(R"({"type":"error","message":"Reconnecting... waiting for )"
             R"(network"})")
      .Note(notes::Deadline{.which = "idle", .after = absl::Minutes(5)})
      .Note(notes::Exited{.signal = 9});
  Replay replay;
  const Result result = LastResult(RunLog(replay, log));
  EXPECT_EQ(result.error, "the idle deadline of 5m passed (timeout)");
  EXPECT_THAT(result.hint, HasSubstr("network"));
  EXPECT_EQ(StatusOf(replay), "failed");
  EXPECT_EQ(replay.state().error, "the idle deadline of 5m passed (timeout)");
}

}  // namespace
}  // namespace troika
