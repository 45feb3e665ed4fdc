// Tests unusual commands of a driver, and relays that hang.
#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/start.h"
#include "relay/testing.h"

namespace troika::relay {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(RelayCommandsTest, NotesAreOneLineWhateverTheyComeWith) {
  TestRelay relay("read x");
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  const Command commands[] = {
      {.type = FrameType::kNote, .key = "a", .payload = "{}\n"},
      {.type = FrameType::kSignal, .key = "b", .payload = "a\nb", .signal = 2},
      {.type = FrameType::kStop, .key = "c", .payload = "\n"},
  };
  for (const Command& command : commands) {
    EXPECT_EQ(relay.Ask(*driver, command).code, ReplyCode::kInvalid);
  }
  relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "d"});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(relay.Log().damages, IsEmpty());
  EXPECT_THAT(Notes(relay.Log(), "signalled"), IsEmpty());
}

TEST(RelayCommandsTest, WhatMakesNoRecordNamesNone) {
  TestRelay relay("trap : USR1; echo ready; while :; do sleep 0.02; done");
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  const auto bare = relay.Ask(
      *driver, {.type = FrameType::kSignal, .key = "a", .signal = SIGUSR1});
  EXPECT_EQ(bare.code, ReplyCode::kOk);
  EXPECT_EQ(bare.record, 0);
  const auto noted = relay.Ask(*driver, {.type = FrameType::kStop,
                                         .key = "b",
                                         .payload = "{\"note\":\"why\"}",
                                         .grace = absl::Milliseconds(100)});
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  ASSERT_THAT(Notes(log, "why"), SizeIs(1));
  EXPECT_EQ(log.records[noted.record - 1].key, "b");
}

TEST(RelayCommandsTest, ALineIsWrittenWithItsNote) {
  TestRelay relay("read x; echo \"got $x\"; read y; echo \"then $y\"");
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  const Command note = {.type = FrameType::kNote,
                        .key = "turn-2",
                        .payload = "{\"note\":\"turn\"}",
                        .line_key = "turn-2.prompt",
                        .line = "hello\n"};
  const Reply reply = relay.Ask(*driver, note);
  EXPECT_EQ(reply.code, ReplyCode::kOk);
  // Neither is done twice, whichever way it is asked for again.
  EXPECT_EQ(relay.Ask(*driver, note).record, reply.record);
  EXPECT_EQ(
      relay.Ask(*driver, {.key = "turn-2.prompt", .payload = "hello\n"}).record,
      reply.record + 1);
  relay.Ask(*driver, {.key = "turn-3.prompt", .payload = "bye\n"});
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_EQ(Joined(log, Stream::kStdin), "hello\nbye\n");
  EXPECT_EQ(Joined(log, Stream::kStdout), "got hello\nthen bye\n");
  EXPECT_EQ(log.records[reply.record].key, "turn-2.prompt");
}

TEST(RelayCommandsTest, ANoteIsTakenWithoutItsLineIfStdinIsClosed) {
  TestRelay relay("cat; sleep 0.3");
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "close"});
  const Reply reply = relay.Ask(*driver, {.type = FrameType::kNote,
                                          .key = "turn-2",
                                          .payload = "{\"note\":\"turn\"}",
                                          .line_key = "turn-2.prompt",
                                          .line = "hello\n"});
  EXPECT_EQ(reply.code, ReplyCode::kOk);
  EXPECT_EQ(
      relay.Ask(*driver, {.key = "turn-2.prompt", .payload = "hello\n"}).code,
      ReplyCode::kEnded);
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(Notes(relay.Log(), "turn"), SizeIs(1));
  EXPECT_THAT(Joined(relay.Log(), Stream::kStdin), IsEmpty());
}

TEST(RelayCommandsTest, OddSignalsAreRefused) {
  TestRelay relay("read x");
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  for (const int signal : {0, -1, SIGSTOP, 1000}) {
    EXPECT_EQ(
        relay
            .Ask(*driver,
                 {.type = FrameType::kSignal, .key = "s", .signal = signal})
            .code,
        ReplyCode::kInvalid);
  }
  relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "c"});
  ASSERT_TRUE(relay.WaitForEnd());
}

TEST(HangingRelayTest, ConnectingWaitsForNothing) {
  TestRelay relay("read x");
  ASSERT_TRUE(relay.started().ok()) << relay.started();
  // Until the guard runs, its process has the name of its relay.
  ASSERT_TRUE(relay.WaitFor([&](const CollectingSink&) {
    return RelayProcess(relay.folder().path(), "troika-guard") != 0;
  }));
  const int pid = RelayProcess(relay.folder().path(), "troika-relay");
  ASSERT_GT(pid, 0);
  ASSERT_EQ(kill(pid, SIGSTOP), 0);
  const absl::Time before = absl::Now();
  auto client = Client::Connect(relay.dir_fd(), Role::kDriver);
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_TRUE(client->OnPolled().ok());
  EXPECT_LT(absl::Now() - before, absl::Milliseconds(800));
  EXPECT_EQ(client->role(), std::nullopt);
  ASSERT_EQ(kill(pid, SIGCONT), 0);
  const auto answer =
      relay.Ask(*client, {.type = FrameType::kCloseStdin, .key = "c"});
  EXPECT_EQ(answer.code, ReplyCode::kOk) << answer.text;
  EXPECT_EQ(client->role(), Role::kDriver);
  ASSERT_TRUE(relay.WaitForEnd());
}

TEST(HangingRelayTest, AProgramThatHangsIsKilledAndLetsGoOfTheLog) {
  const TempFolder folder;
  const std::string program = folder.path() + "/hangs";
  std::ofstream(program) << "#!/bin/sh\nexec sleep 1000\n";
  ASSERT_EQ(chmod(program.c_str(), 0700), 0);
  SystemClock clock;
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  ASSERT_TRUE(log.ok()) << log.status();
  const auto starting = StartRelay(program, {.argv = {"/bin/true"}, .cwd = "/"},
                                   *std::move(log), folder.fd());
  ASSERT_TRUE(starting.ok()) << starting.status();
  const absl::Status started = RelayStarted(*starting, absl::Seconds(1));
  EXPECT_TRUE(absl::IsDeadlineExceeded(started)) << started;
  EXPECT_TRUE(LogWriter::Open(folder.fd(), "task1", &clock).ok());
}

TEST(HangingRelayTest, AProgramThatIsNotThereIsAnError) {
  const TempFolder folder;
  SystemClock clock;
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  ASSERT_TRUE(log.ok()) << log.status();
  const auto starting =
      StartRelay("/no/such/relay", {.argv = {"/bin/true"}, .cwd = "/"},
                 *std::move(log), folder.fd());
  EXPECT_TRUE(absl::IsNotFound(starting.status())) << starting.status();
  EXPECT_TRUE(LogWriter::Open(folder.fd(), "task1", &clock).ok());
}

}  // namespace
}  // namespace troika::relay
