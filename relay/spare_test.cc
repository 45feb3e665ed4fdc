#include "relay/spare.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "gtest/gtest.h"
#include "relay/client.h"
#include "relay/frame.h"
#include "relay/log_format.h"
#include "relay/pass_fds.h"
#include "relay/spawn.h"
#include "relay/testing.h"
#include "testing/files.h"

namespace troika::relay {
namespace {

class SpareRelayTest : public testing::Test {
 protected:
  static SpareRelay StartSpare() {
    auto spare = SpareRelay::Start(*FindRelayProgram());
    EXPECT_TRUE(spare.ok()) << spare.status();
    pollfd fd = {.fd = spare->fd(), .events = POLLIN};
    EXPECT_EQ(poll(&fd, 1, 10000), 1);
    EXPECT_TRUE(spare->waits());
    return *std::move(spare);
  }
  absl::StatusOr<LogWriter> OpenLog() {
    return LogWriter::Open(dir_.get(), "task", &clock_);
  }
  static RelaySpec Spec(const std::string& command) {
    return {.argv = {"/bin/sh", "-c", command},
            .cwd = "/",
            .stdin_mode = StdinMode::kNull,
            .spawned_note = R"({"note":"spawned","generation":1})",
            .spawned_key = "spawn-1"};
  }
  // The only child of a process that is named by its pidfd, or 0.
  static int ChildOf(int process) {
    const std::string info =
        ReadWhole(absl::StrCat("/proc/self/fdinfo/", process));
    const size_t at = info.find("Pid:\t");
    int pid = 0;
    int child = 0;
    if (at == std::string::npos ||
        !absl::SimpleAtoi(info.substr(at + 5, info.find('\n', at) - at - 5),
                          &pid)) {
      return 0;
    }
    (void)absl::SimpleAtoi(
        ReadWhole(absl::StrCat("/proc/", pid, "/task/", pid, "/children")),
        &child);
    return child;
  }
  static bool HasEnded(int process) {
    pollfd fd = {.fd = process, .events = POLLIN};
    return poll(&fd, 1, 10000) == 1;
  }
  static bool UntilWelcome(Client& client) {
    while (!client.role()) {
      pollfd fd = {.fd = client.fd(), .events = client.events()};
      if (poll(&fd, 1, 10000) != 1 || !client.OnPolled().ok()) return false;
    }
    return true;
  }
  std::string LogText() const {
    return ReadWhole(folder_.path() + "/" + kLogName);
  }

  const TempFolder folder_;
  const UniqueFd dir_ =
      UniqueFd(open(folder_.path().c_str(), O_DIRECTORY | O_CLOEXEC));
  SystemClock clock_;
};

TEST_F(SpareRelayTest, RunsTheTaskThatItGets) {
  SpareRelay spare = StartSpare();
  auto log = OpenLog();
  ASSERT_TRUE(log.ok());
  const auto starting = spare.HandOver(Spec("echo hello"), *log, dir_.get());
  ASSERT_TRUE(starting.ok()) << starting.status();
  EXPECT_TRUE(RelayStarted(*starting).ok());
  EXPECT_TRUE(WaitForLogEnd(dir_.get()));
  const std::string text = LogText();
  EXPECT_TRUE(absl::StrContains(text, "hello"));
  EXPECT_LT(text.find("spawned"), text.find("hello"));
  EXPECT_LT(text.find("hello"), text.find("exited"));
}

TEST_F(SpareRelayTest, TellsThatItHasItsTask) {
  SpareRelay spare = StartSpare();
  auto log = OpenLog();
  ASSERT_TRUE(log.ok());
  auto starting = spare.HandOver(Spec("true"), *log, dir_.get());
  ASSERT_TRUE(starting.ok());
  ASSERT_TRUE(RelayStarted(*starting).ok());
  EXPECT_TRUE(SpareTook(&*starting));
  EXPECT_FALSE(starting->spare.ok());
  EXPECT_TRUE(WaitForLogEnd(dir_.get()));
}

TEST_F(SpareRelayTest, AStoppedSpareIsEndedAndHasNotBegun) {
  SpareRelay spare = StartSpare();
  syscall(SYS_pidfd_send_signal, spare.process(), SIGSTOP, nullptr, 0);
  auto log = OpenLog();
  ASSERT_TRUE(log.ok());
  auto starting = spare.HandOver(Spec("echo hello"), *log, dir_.get());
  ASSERT_TRUE(starting.ok());
  EXPECT_FALSE(OpenLog().ok()) << "it has the lock";
  EXPECT_FALSE(SpareTook(&*starting));
  EndRelay(*starting);
  EXPECT_TRUE(WaitForLogEnd(dir_.get()));
  EXPECT_TRUE(OpenLog().ok());
  EXPECT_FALSE(absl::StrContains(LogText(), "spawned"));
}

TEST_F(SpareRelayTest, TheLockPassesToTheRelay) {
  SpareRelay spare = StartSpare();
  auto log = OpenLog();
  ASSERT_TRUE(log.ok());
  const auto starting = spare.HandOver(Spec("sleep 60"), *log, dir_.get());
  ASSERT_TRUE(starting.ok());
  ASSERT_TRUE(RelayStarted(*starting).ok());
  const UniqueFd other(
      open((folder_.path() + "/" + kLogName).c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_NE(flock(other.get(), LOCK_EX | LOCK_NB), 0);
  // The guard has it, too: it is free only when the agent is gone.
  syscall(SYS_pidfd_send_signal, starting->process.get(), SIGKILL, nullptr, 0);
  EXPECT_TRUE(WaitForLogEnd(dir_.get()));
  EXPECT_TRUE(NoProcessesWith("sleep 60"));
}

TEST_F(SpareRelayTest, EndsWithItsStarter) {
  UniqueFd process;
  {
    const SpareRelay spare = StartSpare();
    process = UniqueFd(fcntl(spare.process(), F_DUPFD_CLOEXEC, 0));
  }
  EXPECT_TRUE(HasEnded(process.get()));
}

TEST_F(SpareRelayTest, ADeadSpareLeavesTheLogToTheCaller) {
  SpareRelay spare = StartSpare();
  // The spare's guard keeps the socket open until it sees that the relay is
  // gone.
  const UniqueFd guard(
      static_cast<int>(syscall(SYS_pidfd_open, ChildOf(spare.process()), 0)));
  ASSERT_TRUE(guard.ok());
  syscall(SYS_pidfd_send_signal, spare.process(), SIGKILL, nullptr, 0);
  ASSERT_TRUE(HasEnded(spare.process()));
  ASSERT_TRUE(HasEnded(guard.get()));
  auto log = OpenLog();
  ASSERT_TRUE(log.ok());
  EXPECT_FALSE(spare.HandOver(Spec("true"), *log, dir_.get()).ok());
  // Another relay can still be started with it.
  const auto starting = StartRelay(*FindRelayProgram(), Spec("true"),
                                   *std::move(log), dir_.get());
  ASSERT_TRUE(starting.ok());
  EXPECT_TRUE(RelayStarted(*starting).ok());
  EXPECT_TRUE(WaitForLogEnd(dir_.get()));
}

TEST_F(SpareRelayTest, EndsWithItsGuard) {
  const SpareRelay spare = StartSpare();
  const int guard = ChildOf(spare.process());
  ASSERT_GT(guard, 0);
  kill(guard, SIGKILL);
  EXPECT_TRUE(HasEnded(spare.process()));
}

// As the program of an older version, which reads its spec from the socket.
TEST_F(SpareRelayTest, AProgramThatDoesNotSayThatItWaitsIsNotUsed) {
  auto spare = SpareRelay::Start("/bin/cat");
  ASSERT_TRUE(spare.ok());
  EXPECT_FALSE(spare->waits());
}

TEST_F(SpareRelayTest, TheConnectionThatComesWithATaskDrives) {
  SpareRelay spare = StartSpare();
  auto log = OpenLog();
  ASSERT_TRUE(log.ok());
  RelaySpec spec = Spec("read line; echo got $line");
  spec.stdin_mode = StdinMode::kPipe;
  auto starting = spare.HandOver(spec, *log, dir_.get());
  ASSERT_TRUE(starting.ok());
  ASSERT_TRUE(RelayStarted(*starting).ok());
  ASSERT_TRUE(starting->driver.has_value());
  Client& driver = *starting->driver;
  // Another one that asks to drive has to wait.
  auto second = Client::Connect(dir_.get(), Role::kDriver);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->relay_pid(), driver.relay_pid());
  EXPECT_TRUE(UntilWelcome(driver));
  EXPECT_TRUE(UntilWelcome(*second));
  EXPECT_EQ(driver.role(), Role::kDriver);
  EXPECT_EQ(second->watch_reason(), WatchReason::kOtherDrives);
  driver.Send({.type = FrameType::kWrite, .key = "k", .payload = "it\n"});
  EXPECT_TRUE(WaitForLogEnd(dir_.get()));
  EXPECT_TRUE(absl::StrContains(LogText(), "got it"));
}

TEST_F(SpareRelayTest, AnOlderServerGivesNoConnection) {
  SpareRelay spare = StartSpare();
  auto log = OpenLog();
  ASSERT_TRUE(log.ok());
  const auto spec = SpecFile(Encode(Spec("echo hello")));
  ASSERT_TRUE(spec.ok());
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd ready(ends[0]);
  const UniqueFd report(ends[1]);
  ASSERT_TRUE(
      SendFds(spare.fd(), {spec->get(), log->fd(), dir_.get(), report.get()})
          .ok());
  (*std::move(log)).Release().Reset();
  EXPECT_TRUE(WaitForLogEnd(dir_.get()));
  EXPECT_TRUE(absl::StrContains(LogText(), "hello"));
}

TEST_F(SpareRelayTest, AnOlderSpareGetsNoConnection) {
  folder_.WriteProgram("older", "printf W >&3\nexec sleep 60");
  auto spare = SpareRelay::Start(folder_.Path("older"));
  ASSERT_TRUE(spare.ok()) << spare.status();
  pollfd fd = {.fd = spare->fd(), .events = POLLIN};
  ASSERT_EQ(poll(&fd, 1, 10000), 1);
  ASSERT_TRUE(spare->waits());
  auto log = OpenLog();
  ASSERT_TRUE(log.ok());
  auto starting = spare->HandOver(Spec("true"), *log, dir_.get());
  ASSERT_TRUE(starting.ok());
  EXPECT_FALSE(starting->driver.has_value());
  EndRelay(*starting);
}

}  // namespace
}  // namespace troika::relay
