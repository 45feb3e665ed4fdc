// Tests the relay and its guard as processes, with shell scripts as agents.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/unix_socket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"

namespace troika::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns a word that is on no other test's command lines.
std::string Token() {
  static int count = 0;
  return absl::StrCat("token_", getpid(), "_", ++count);
}

std::string LastNote(const CollectingSink& log) {
  return log.records.empty() ? "" : log.records.back().payload;
}

TEST(RelayTest, RecordsWhatTheAgentSays) {
  TestRelay relay("echo one; echo two >&2; printf 'three'; exit 7");
  ASSERT_TRUE(relay.started().ok()) << relay.started();
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(log.damages, IsEmpty());
  EXPECT_EQ(log.records[0].payload, "{\"note\":\"spawned\"}");
  EXPECT_EQ(Joined(log, Stream::kStdout), "one\nthree");
  EXPECT_EQ(Joined(log, Stream::kStderr), "two\n");
  EXPECT_THAT(LastNote(log), HasSubstr("{\"note\":\"exited\",\"code\":7,"));
  EXPECT_THAT(LastNote(log), HasSubstr("\"stderr_tail\":\"two\\n\"}"));
  EXPECT_FALSE(std::filesystem::exists(relay.folder().path() + "/relay.sock"));
  EXPECT_FALSE(std::filesystem::exists(relay.folder().path() + "/reserve"));
}

TEST(RelayTest, AgentHasWhatItWasGivenAndNothingElse) {
  TestRelay relay("pwd; env; ls /proc/self/fd | tr '\\n' ' '; ulimit -c",
                  {.env = {"A=b", "PATH=/usr/bin:/bin"}, .cwd = "/usr"});
  ASSERT_TRUE(relay.WaitForEnd());
  const std::string said = Joined(relay.Log(), Stream::kStdout);
  EXPECT_THAT(said, HasSubstr("/usr\n"));
  EXPECT_THAT(said, HasSubstr("A=b\n"));
  // ls opens the folder itself, as descriptor 3.
  EXPECT_THAT(said, HasSubstr("\n0 1 2 3 "));
}

TEST(RelayTest, StartFailuresAreRecords) {
  const struct {
    RelaySpec spec;
    absl::string_view error;
  } cases[] = {
      {{.argv = {"/no/such/program"}},
       "run /no/such/program: No such file or directory"},
      {{.argv = {"/etc/passwd"}}, "run /etc/passwd: Permission denied"},
      {{.cwd = "/no/such/folder"},
       "enter the folder /no/such/folder: No such file or directory"},
  };
  for (const auto& c : cases) {
    TestRelay relay("true", c.spec);
    ASSERT_TRUE(relay.started().ok()) << relay.started();
    ASSERT_TRUE(relay.WaitForEnd());
    EXPECT_EQ(LastNote(relay.Log()),
              absl::StrCat("{\"note\":\"start_failed\",\"error\":\"", c.error,
                           "\"}"));
  }
}

TEST(RelayTest, WritesAreRecordedAndKeysAreTakenOnce) {
  TestRelay relay("cat");
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  const auto first = relay.Ask(*driver, {.key = "a", .payload = "x\ny\n"});
  EXPECT_EQ(first.code, ReplyCode::kOk);
  const auto again = relay.Ask(*driver, {.key = "a", .payload = "x\ny\n"});
  EXPECT_EQ(again.record, first.record);
  EXPECT_EQ(relay.Ask(*driver, {.key = "b", .payload = "no end"}).code,
            ReplyCode::kOk);
  EXPECT_EQ(
      relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "c"}).code,
      ReplyCode::kOk);
  EXPECT_EQ(relay.Ask(*driver, {.key = "d", .payload = "late\n"}).code,
            ReplyCode::kEnded);
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_EQ(Joined(log, Stream::kStdin), "x\ny\nno end");
  EXPECT_EQ(Joined(log, Stream::kStdout), "x\ny\nno end");
  EXPECT_EQ(log.records[first.record - 1].key, "a");
}

TEST(RelayTest, FirstCommandsStandBehindTheStart) {
  TestRelay relay(
      "cat; echo end",
      {.first_commands = {
           Encode(Command{.key = "a", .payload = "x\ny"}),
           Encode(Command{.type = FrameType::kCloseStdin, .key = "c"})}});
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(log.damages, IsEmpty());
  EXPECT_EQ(log.records[0].payload, "{\"note\":\"spawned\"}");
  EXPECT_EQ(log.records[1].key, "a");
  EXPECT_EQ(log.records[1].payload, "x");
  EXPECT_EQ(log.records[2].payload, "y");
  EXPECT_EQ(log.records[3].key, "c");
  EXPECT_EQ(log.records[3].payload, "{\"note\":\"stdin_closed\"}");
  EXPECT_EQ(Joined(log, Stream::kStdout), "x\nyend\n");
}

TEST(RelayTest, FirstCommandsThatAreSentAgainAreTakenOnce) {
  TestRelay relay(
      "cat", {.first_commands = {
                  Encode(Command{.key = "a", .payload = "x\n"}), "no frame",
                  Encode(Command{.type = FrameType::kStop, .key = "s"})}});
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(relay.Ask(*driver, {.key = "a", .payload = "x\n"}).record, 2);
  relay.Ask(*driver, {.key = "b", .payload = "z\n"});
  relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "c"});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_EQ(Joined(relay.Log(), Stream::kStdout), "x\nz\n");
}

TEST(RelayTest, FirstCommandsOfAnAgentThatCannotStartStandInTheLog) {
  TestRelay relay(
      "", {.argv = {"/no/such/program"},
           .first_commands = {Encode(Command{.key = "a", .payload = "x\n"})}});
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_EQ(Joined(log, Stream::kStdin), "x\n");
  EXPECT_THAT(Notes(log, "start_failed"), SizeIs(1));
}

TEST(RelayTest, NotesOfTheDriverStandInTheLog) {
  TestRelay relay("read x");
  const auto driver = relay.Connect(Role::kDriver);
  const auto answer = relay.Ask(
      *driver, {.type = FrameType::kNote, .key = "n", .payload = "{}"});
  const CollectingSink log = relay.Log();
  EXPECT_EQ(log.records[answer.record - 1].payload, "{}");
  EXPECT_EQ(relay
                .Ask(*driver,
                     {.type = FrameType::kNote, .key = "m", .payload = "a\nb"})
                .code,
            ReplyCode::kInvalid);
  relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "c"});
  ASSERT_TRUE(relay.WaitForEnd());
}

TEST(RelayTest, LongLinesAreContinued) {
  TestRelay relay("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end");
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(log.damages, IsEmpty());
  EXPECT_EQ(Joined(log, Stream::kStdout),
            std::string(3000000, 'x') + "\nend\n");
}

TEST(RelayTest, HugeInputReachesASlowAgent) {
  TestRelay relay("sleep 0.3; wc -c");
  const auto driver = relay.Connect(Role::kDriver);
  std::string prompt(5 << 20, 'p');
  for (size_t i = 1000; i < prompt.size(); i += 100000) prompt[i] = '\n';
  EXPECT_EQ(relay.Ask(*driver, {.key = "p", .payload = prompt}).code,
            ReplyCode::kOk);
  relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "c"});
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_EQ(Joined(log, Stream::kStdout), absl::StrCat(prompt.size(), "\n"));
  EXPECT_TRUE(Joined(log, Stream::kStdin) == prompt);
}

TEST(RelayTest, InputThatTheAgentNeverReadsIsTold) {
  TestRelay relay("exec 0</dev/null; echo closed; sleep 0.2");
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  relay.Ask(*driver, {.key = "p", .payload = "lost\n"});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(Notes(relay.Log(), "stdin_lost"),
              ElementsAre("{\"note\":\"stdin_lost\",\"bytes\":5}"));
}

TEST(RelayTest, StopEndsTheWholeTree) {
  const std::string token = Token();
  // One child has a session of its own, and the other is never reaped.
  TestRelay relay(absl::StrCat(
      "trap '' INT TERM; setsid sh -c 'trap \"\" INT TERM; sleep 100; : ",
      token, "' & (setsid sh -c 'sleep 100; : ", token,
      "' & ) ; echo ready; while :; do sleep 1; done; : ", token));
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return Joined(log, Stream::kStdout) == "ready\n";
  }));
  const auto driver = relay.Connect(Role::kDriver);
  relay.Ask(*driver, {.type = FrameType::kStop,
                      .key = "s",
                      .payload = "{\"note\":\"stop\"}",
                      .grace = absl::Milliseconds(50)});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(ProcessesWith(token), IsEmpty());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(Notes(log, "signalled"),
              ElementsAre(HasSubstr("\"signal\":2"), HasSubstr("\"signal\":15"),
                          HasSubstr("\"signal\":9")));
  EXPECT_THAT(LastNote(log), HasSubstr("\"signal\":9"));
}

TEST(RelayTest, WhatANormalExitLeavesIsEndedAndNamed) {
  const std::string token = Token();
  TestRelay relay(
      absl::StrCat("setsid sh -c 'sleep 100; : ", token, "' & echo done"));
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(ProcessesWith(token), IsEmpty());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(Notes(log, "leftover"), SizeIs(1));
  EXPECT_THAT(Notes(log, "leftover")[0], HasSubstr("sleep"));
  EXPECT_THAT(LastNote(log), HasSubstr("\"code\":0"));
}

TEST(RelayTest, SignalsReachTheAgentsGroup) {
  TestRelay relay(
      "trap 'echo got; exit 3' INT; echo ready; "
      "while :; do sleep 0.01; done");
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  const auto driver = relay.Connect(Role::kDriver);
  relay.Ask(*driver,
            {.type = FrameType::kSignal, .key = "i", .signal = SIGINT});
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_EQ(Joined(log, Stream::kStdout), "ready\ngot\n");
  EXPECT_THAT(LastNote(log), HasSubstr("\"code\":3"));
}

// Kills one of the two programs and expects the other to clean up.
void KillOne(absl::string_view name, absl::string_view token,
             TestRelay& relay) {
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  const int pid = RelayProcess(relay.folder().path(), name);
  ASSERT_GT(pid, 0);
  kill(pid, SIGKILL);
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(ProcessesWith(token), IsEmpty());
}

std::string Tree(absl::string_view token) {
  return absl::StrCat("setsid sh -c 'sleep 100; : ", token,
                      "' & (sh -c 'setsid sleep 100; : ", token,
                      "' & ) ; echo ready; sleep 100; : ", token);
}

TEST(RelayTest, GuardEndsTheTreeWhenTheRelayIsKilled) {
  const std::string token = Token();
  TestRelay relay(Tree(token));
  KillOne("troika-relay", token, relay);
  // Nobody saw how the agent ended; the next process that takes the lock says
  // so.
  EXPECT_THAT(Notes(relay.Log(), "exited"), IsEmpty());
}

TEST(RelayTest, RelayEndsTheTreeWhenTheGuardIsKilled) {
  const std::string token = Token();
  TestRelay relay(Tree(token));
  KillOne("troika-guard", token, relay);
  EXPECT_THAT(LastNote(relay.Log()),
              HasSubstr("\"signal\":9,\"reason\":\"the guard was killed"));
}

TEST(RelayTest, AStoppedGuardIsKilledWithTheTree) {
  const std::string token = Token();
  TestRelay relay(Tree(token));
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_EQ(kill(RelayProcess(relay.folder().path(), "troika-guard"), SIGSTOP),
            0);
  const absl::Time began = absl::Now();
  relay.Ask(*driver, {.type = FrameType::kStop,
                      .key = "s",
                      .payload = "{\"note\":\"stop\"}",
                      .grace = absl::ZeroDuration()});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_LT(absl::Now() - began, absl::Seconds(8));
  EXPECT_THAT(ProcessesWith(token), IsEmpty());
  EXPECT_THAT(LastNote(relay.Log()),
              HasSubstr("\"signal\":9,\"reason\":\"the guard did not answer"));
}

TEST(RelayTest, AGuardThatGoesOnInTimeEndsTheAgentItself) {
  TestRelay relay("trap 'exit 3' INT; echo ready; sleep 100 & wait");
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  const auto driver = relay.Connect(Role::kDriver);
  const int guard = RelayProcess(relay.folder().path(), "troika-guard");
  ASSERT_EQ(kill(guard, SIGSTOP), 0);
  relay.Ask(*driver, {.type = FrameType::kStop,
                      .key = "s",
                      .payload = "{\"note\":\"stop\"}",
                      .grace = absl::Seconds(20)});
  ASSERT_EQ(kill(guard, SIGCONT), 0);
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(LastNote(relay.Log()), HasSubstr("\"code\":3"));
}

TEST(RelayTest, TermEndsARelayInOrder) {
  TestRelay relay("echo ready; sleep 100");
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  kill(RelayProcess(relay.folder().path(), "troika-relay"), SIGTERM);
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(LastNote(relay.Log()), HasSubstr("the relay was asked to end"));
}

TEST(RelayTest, CapEndsTheAgent) {
  TestRelay relay("yes", {.max_log_bytes = 100000});
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(log.damages, IsEmpty());
  EXPECT_THAT(LastNote(log),
              HasSubstr("the log has reached its cap of 100000 bytes"));
  EXPECT_THAT(LastNote(log), HasSubstr("\"discarded_bytes\":"));
}

TEST(RelayTest, AFloodOfTinyLinesCostsLittle) {
  const struct {
    const char* script;
    int64_t bytes;
  } kFloods[] = {
      {"yes | head -c 400000", 400000},
      {"yes | head -c 400000 >&2", 400000},
      // The script writes each line at once, to both streams in turn.
      {"i=0; while [ $i -lt 20000 ]; do echo y; echo e >&2; i=$((i+1)); done",
       80000},
  };
  for (const auto& flood : kFloods) {
    TestRelay relay(flood.script);
    ASSERT_TRUE(relay.WaitForEnd());
    const CollectingSink log = relay.Log();
    EXPECT_THAT(log.damages, IsEmpty());
    EXPECT_EQ(Joined(log, Stream::kStdout).size() +
                  Joined(log, Stream::kStderr).size(),
              static_cast<size_t>(flood.bytes));
    // The notes at both ends have about a kilobyte, and the last one includes
    // the end of stderr.
    EXPECT_LT(log.record_bytes, 3 * flood.bytes + 8192) << flood.script;
  }
}

TEST(RelayTest, RemovedFolderEndsTheAgent) {
  const std::string token = Token();
  TestRelay relay(absl::StrCat("echo ready; sleep 100; : ", token), {}, "task");
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  const auto watcher = relay.Connect(Role::kWatcher);
  std::filesystem::remove_all(relay.folder().path());
  EXPECT_TRUE(NoProcessesWith(token));
  std::string trouble;
  while (trouble.empty()) {
    const auto news = watcher->OnPolled();
    if (!news.ok()) break;
    if (news->trouble) trouble = *news->trouble;
    pollfd fd = {.fd = watcher->fd(), .events = POLLIN};
    poll(&fd, 1, 1000);
  }
  EXPECT_EQ(trouble, "the task's log was removed");
}

TEST(RelayTest, TruncatedLogEndsTheAgent) {
  TestRelay relay("echo ready; sleep 100");
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  ASSERT_EQ(truncate((relay.folder().path() + "/log.v1").c_str(), 10), 0);
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(LastNote(relay.Log()), HasSubstr("truncated the log"));
}

TEST(RelayTest, RenamedLogEndsTheAgent) {
  const std::string token = Token();
  TestRelay relay(absl::StrCat("echo ready; sleep 100; : ", token));
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return !Joined(log, Stream::kStdout).empty();
  }));
  const std::string log = relay.folder().path() + "/log.v1";
  const std::string elsewhere = relay.folder().path() + "/elsewhere";
  std::filesystem::rename(log, elsewhere);
  std::filesystem::create_symlink(elsewhere, log);
  EXPECT_TRUE(NoProcessesWith(token));
  std::filesystem::rename(elsewhere, log);
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(LastNote(relay.Log()), HasSubstr("the task's log was renamed"));
}

TEST(RelayTest, WorksOnLongPaths) {
  const std::string folder =
      absl::StrCat(std::string(120, 'a'), "/", std::string(120, 'b'));
  TestRelay relay("read x; echo $x", {}, folder);
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  relay.Ask(*driver, {.key = "a", .payload = "hi\n"});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_EQ(Joined(relay.Log(), Stream::kStdout), "hi\n");
}

UniqueFd RawConnection(const TestRelay& relay) {
  auto fd = ConnectUnix(relay.dir_fd(), kSocketName);
  EXPECT_TRUE(fd.ok()) << fd.status();
  return *std::move(fd);
}

TEST(RelayTest, BadClientsDisturbNobody) {
  TestRelay relay(
      "read x; i=0; while [ $i -lt 20000 ]; do echo line $i; "
      "i=$((i+1)); done");
  const UniqueFd silent = RawConnection(relay);
  const UniqueFd garbage = RawConnection(relay);
  const std::string noise(100000, '\xee');
  (void)!send(garbage.get(), noise.data(), noise.size(), MSG_NOSIGNAL);
  const UniqueFd future = RawConnection(relay);
  const std::string hello = Encode(Hello{.max_version = 9});
  (void)!send(future.get(), hello.data(), hello.size(), MSG_NOSIGNAL);
  // These clients never read again.
  std::vector<std::unique_ptr<Client>> stalled;
  for (int i = 0; i < 100; ++i) {
    stalled.push_back(relay.Connect(Role::kWatcher));
    ASSERT_NE(stalled.back(), nullptr);
  }
  const auto driver = relay.Connect(Role::kDriver);
  EXPECT_EQ(relay.Ask(*driver, {.key = "go", .payload = "\n"}).code,
            ReplyCode::kOk);
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(Joined(log, Stream::kStdout), HasSubstr("line 19999\n"));
  EXPECT_THAT(log.damages, IsEmpty());
}

TEST(RelayTest, AgentThatNobodyDrivesIsNotKeptWaiting) {
  TestRelay relay("cat; echo end", {.undriven = absl::Milliseconds(1500)});
  auto driver = relay.Connect(Role::kDriver);
  relay.Ask(*driver, {.key = "a", .payload = "x\n"});
  absl::SleepFor(absl::Seconds(3));
  EXPECT_EQ(Joined(relay.Log(), Stream::kStdout), "x\n");
  driver.reset();
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(Notes(log, "stdin_closed"), SizeIs(1));
  EXPECT_EQ(Joined(log, Stream::kStdout), "x\nend\n");
}

TEST(RelayTest, InputThatIsLeftAtTheEndIsTold) {
  TestRelay relay("sleep 0.3; exit 0");
  const auto driver = relay.Connect(Role::kDriver);
  relay.Ask(*driver, {.key = "p", .payload = std::string(1 << 20, 'x')});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_THAT(Notes(relay.Log(), "stdin_lost"), SizeIs(1));
}

TEST(RelayTest, UnknownCommandsAreUnsupported) {
  TestRelay relay("read x");
  const auto driver = relay.Connect(Role::kDriver);
  EXPECT_EQ(
      relay.Ask(*driver, {.type = static_cast<FrameType>(40), .key = "k"}).code,
      ReplyCode::kUnsupported);
  relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "c"});
  ASSERT_TRUE(relay.WaitForEnd());
}

}  // namespace
}  // namespace troika::relay
