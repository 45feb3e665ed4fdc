#include <string>
#include <vector>

#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/replay.h"
#include "task/testing.h"

namespace troika {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(ReplayNotesTest, StartThatFailedEndsTheTurn) {
  for (const bool spawned : {false, true}) {
    LogMaker log;
    log.Begin("codex");
    if (spawned) log.Spawn(1, 1);
    log.Note(notes::StartFailed{.generation = 1, .error = "no such file"});
    Replay replay;
    const std::vector<Message> messages = RunLog(replay, log);
    EXPECT_THAT(Payloads<Result>(messages), SizeIs(1));
    EXPECT_EQ(StatusOf(replay), "failed");
    EXPECT_EQ(replay.state().error,
              "the agent could not be started: no such file");
    EXPECT_FALSE(replay.state().process_alive);
  }
}

// A notice tells what was changed in the request, and another one tells if the
// CLI's own configuration bypasses everything: once for each process.
TEST(ReplayNotesTest, NoticesOfTheRequestAndOfItsNativeMode) {
  constexpr absl::string_view kInit =
      R"({"type":"system","subtype":"init","session_id":"s",)"
      R"("permissionMode":"bypassPermissions"})";
  for (const EditMode mode : {EditMode::kNative, EditMode::kDangerous}) {
    LogMaker log;
    log.Note(notes::Request{.task = "t",
                            .harness = "claude",
                            .options = {.edit_mode = mode},
                            .notices = {"changed"}});
    log.Note(notes::Turn{.turn = 1, .prompt = "go"});
    log.Spawn(1, 1).Stdout(kInit).Stdout(kInit);
    Replay replay;
    std::vector<std::string> texts;
    for (const Notice& notice : Payloads<Notice>(RunLog(replay, log))) {
      if (notice.kind == Notice::Kind::kConfigWarning) {
        texts.push_back(notice.text);
      }
    }
    ASSERT_THAT(texts, SizeIs(mode == EditMode::kNative ? 2 : 1));
    EXPECT_EQ(texts[0], "changed");
    EXPECT_EQ(replay.state().permission_mode, "bypassPermissions");
    if (mode != EditMode::kNative) continue;
    EXPECT_THAT(texts[1], HasSubstr("configuration (bypassPermissions)"));
  }
}

TEST(ReplayNotesTest, LostProcess) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(kTool).Note(notes::Lost{.reason = "the relay was killed"});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(StatusOf(replay), "failed");
  EXPECT_EQ(replay.state().error,
            "the agent's process was lost: the relay was killed");
  EXPECT_TRUE(Payloads<ToolResult>(messages)[0].synthetic);
  const auto& last = std::get<Lifecycle>(messages.back().payload);
  EXPECT_EQ(last.kind, Lifecycle::Kind::kLost);
}

TEST(ReplayNotesTest, CancelledAndStoppedBeforeTheStart) {
  LogMaker log;
  log.Begin("codex").Note(notes::Cancelled{.by = "user"});
  Replay cancelled;
  EXPECT_EQ(LastResult(RunLog(cancelled, log)).error, "cancelled");
  EXPECT_EQ(StatusOf(cancelled), "cancelled");
  LogMaker stop;
  stop.Begin("codex").Note(notes::Stop{.by = "user", .reason = "no"});
  Replay stopped;
  EXPECT_EQ(LastResult(RunLog(stopped, stop)).error, "interrupted by user: no");
  EXPECT_EQ(StatusOf(stopped), "interrupted");
}

// The version decides, and what its stdin was made for.
TEST(ReplayNotesTest, SecondTurnOfAClaudeThatReadsOnePromptWaits) {
  const struct {
    const char* version;
    const char* stdin_mode;
    bool takes;
  } cases[] = {{"2.1.325", "conversation", true}, {"", "", true},
               {"1.0.17", "prompt", false},       {"1.0.17", "", false},
               {"3.0.0", "prompt", false},        {"", "prompt", false}};
  for (const auto& c : cases) {
    LogMaker log;
    log.Begin("claude").Note(notes::Spawned{
        .generation = 1, .version = c.version, .stdin_mode = c.stdin_mode});
    log.Note(notes::Turn{.turn = 2, .prompt = "more"});
    Replay replay;
    RunLog(replay, log);
    EXPECT_EQ(replay.state().turns_waiting, c.takes ? 0 : 1) << c.version;
    EXPECT_EQ(replay.capabilities().follow_up, c.takes) << c.version;
  }
}

TEST(ReplayNotesTest, TurnAskedForWhileTheLastProcessStillEnds) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(kTurnCompleted).Note(notes::Turn{.turn = 2, .prompt = "more"});
  log.Note(notes::Exited{.code = 0});
  Replay replay;
  RunLog(replay, log);
  EXPECT_EQ(StatusOf(replay), "queued");
  EXPECT_EQ(replay.state().turns_waiting, 1);
  Tell(replay, 20, notes::Spawned{});
  ASSERT_THAT(replay.outbox(), SizeIs(2));
  EXPECT_EQ(replay.outbox()[0].bytes, "more");
}

TEST(ReplayNotesTest, ProcessWhoseEndIsMissingIsEndedByTheNext) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(kTool).Damage().Spawn(1, 2).Stdout(kThread).Stdout(kTurnStarted);
  log.Stdout(kTool).Note(notes::Exited{.code = 1});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(BrokenRules(messages), "");
  EXPECT_THAT(Payloads<ToolUse>(messages), SizeIs(2));
}

TEST(ReplayNotesTest, DamageIsAnEventAfterItsRecord) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread).Damage(2).Damage();
  log.Stdout(kTurnStarted);
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_THAT(Texts(messages),
              EndsWith("4.1073741824 parseError error=\"the log is damaged "
                       "here: a checksum differs\" snippet=\"\uFFFDx\" "
                       "offset=527 size=10\n"
                       "6.1073741824 parseError error=\"the log is damaged "
                       "here: a checksum differs\" snippet=\"\uFFFDx\" "
                       "offset=537 size=10\n"
                       "8.0 notice kind=turn_started\n"));
}

TEST(ReplayNotesTest, DamageEndsALineThatWasBeingJoined) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1).Stdout(kThread);
  log.Add(relay::Stream::kStdout, relay::LineEnd::kContinued, "{\"half");
  log.Damage().Stdout(kTurnStarted);
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_THAT(Payloads<ParseError>(messages), SizeIs(2));
  EXPECT_EQ(StatusOf(replay), "running");
  EXPECT_EQ(messages.back().id, (EventId{7, 0}));
  EXPECT_EQ(messages[messages.size() - 2].id, (EventId{5, (1 << 30) + 1}));
}

TEST(ReplayNotesTest, ExitEndsALineThatWasBeingJoined) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  log.Add(relay::Stream::kStdout, relay::LineEnd::kContinued, "{\"half");
  log.Add(relay::Stream::kStderr, relay::LineEnd::kContinued, "no end");
  log.Note(notes::Exited{.code = 1});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(Payloads<ParseError>(messages)[0].snippet, "{\"half");
  EXPECT_EQ(Payloads<Raw>(messages)[0].line, "no end");
  EXPECT_EQ(LastResult(messages).error, "exited with code 1: no end");
  EXPECT_EQ(BrokenRules(messages), "");
}

TEST(ReplayNotesTest, LineOverTheLimitIsRawWithAPointer) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  const std::string piece(size_t{1} << 20, 'x');
  for (int i = 0; i < 17; ++i) {
    log.Add(relay::Stream::kStdout, relay::LineEnd::kContinued, piece);
  }
  log.Stdout("end").Stdout(kThread);
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  const Raw raw = Payloads<Raw>(messages)[0];
  const auto& first = std::get<relay::LogRecord>(log.entries()[3]);
  EXPECT_EQ(raw.offset, first.offset);
  EXPECT_EQ(raw.size, (17 << 20) + 3);
  EXPECT_EQ(raw.line, "");
  EXPECT_EQ(messages[messages.size() - 2].id, (EventId{21, 0}));
  EXPECT_EQ(replay.state().session_id, "th1");
}

TEST(ReplayNotesTest, NotesThatCantBeReadArePassedOver) {
  LogMaker log;
  log.NoteText("{\"secret").NoteText("[]").NoteText(R"({"note":"later"})");
  log.Begin("codex").Begin("claude");
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_THAT(Payloads<ParseError>(messages), SizeIs(2));
  EXPECT_THAT(Texts(messages), testing::Not(HasSubstr("secret")));
  EXPECT_EQ(Payloads<Raw>(messages)[0].type, "note/later");
  EXPECT_EQ(replay.state().harness, Harness::kCodex);
  EXPECT_THAT(Payloads<Notice>(messages)[0].text, HasSubstr("second request"));
}

TEST(ReplayNotesTest, NoteAfterOneThatHasNoEndIsRead) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  log.Add(relay::Stream::kNote, relay::LineEnd::kContinued, "{\"note\":\"tu");
  log.Note(notes::Lost{.reason = "the writer died"});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_THAT(Payloads<ParseError>(messages), SizeIs(1));
  EXPECT_EQ(StatusOf(replay), "failed");
}

TEST(ReplayNotesTest, ArgumentsAreInNoMessage) {
  LogMaker log;
  log.Begin("codex").Spawn(1, 1);
  Replay replay;
  EXPECT_THAT(Texts(RunLog(replay, log)), testing::Not(HasSubstr("--secret")));
}

TEST(ReplayNotesTest, UnknownHarnessLosesNothing) {
  LogMaker log;
  log.Begin("later").Spawn(1, 1).Stdout("hi").Note(notes::Exited{.code = 0});
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_EQ(Payloads<Raw>(messages)[0].line, "hi");
  EXPECT_THAT(Payloads<Notice>(messages)[0].text, HasSubstr("later"));
  EXPECT_THAT(Payloads<Result>(messages), SizeIs(1));
  EXPECT_EQ(StatusOf(replay), "failed");
}

TEST(ReplayNotesTest, OutputOfNoProcessIsRaw) {
  LogMaker log;
  log.Begin("codex").Stdout("hi").Stdin("secret").Stderr("e");
  Replay replay;
  const std::vector<Message> messages = RunLog(replay, log);
  EXPECT_THAT(Payloads<Raw>(messages), SizeIs(3));
  EXPECT_THAT(Texts(messages), testing::Not(HasSubstr("secret")));
  EXPECT_EQ(StatusOf(replay), "queued");
}

TEST(ReplayNotesTest, OtherNotesAreTold) {
  LogMaker log;
  log.Begin("claude")
      .Note(notes::Spawned{.generation = 1, .notices = {"mind this"}})
      .Note(notes::Answer{
          .id = "a1", .by = "rule", .answer = ApprovalAnswer{.allow = true}})
      .Note(notes::Unknown{
          .json = R"({"note":"answer","id":"a2","answer":{"allow":"yes"}})"})
      .Note(notes::StdinLost{.bytes = 5})
      .Note(notes::Leftover{.processes = {"sleep", "node"}})
      .Note(notes::Trouble{.text = "the disk is full"})
      .Note(notes::Torn{.bytes = 7})
      .Note(notes::Exited{
          .signal = 9, .reason = "the log is full", .discarded_bytes = 3});
  Replay replay;
  const std::string texts = Texts(RunLog(replay, log));
  for (const char* text :
       {"mind this", "an answer to a1 by rule is passed over",
        "the answer to a2 says nothing that is known", "5 bytes did not reach",
        "left behind: sleep, node", "the disk is full", "cut off; 7 bytes",
        "killed by signal 9: the log is full; 3 bytes of its output were not "
        "recorded"}) {
    EXPECT_THAT(texts, HasSubstr(text));
  }
  EXPECT_EQ(replay.state().signal, 9);
}

}  // namespace
}  // namespace troika
