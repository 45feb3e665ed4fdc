// How servers start, stop and follow each other.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/ancestry.h"
#include "base/event_loop.h"
#include "base/fd.h"
#include "base/unix_socket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "server/below_agent.h"
#include "server/saved_flags.h"
#include "server/server_lock.h"
#include "server/stop_signals.h"
#include "task/home.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using Origin = ServerLock::Origin;

// Runs `body` in a child, up to the line that it writes with Ready().
class Child {
 public:
  explicit Child(absl::FunctionRef<void(Child&)> body) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      tell_ = ends[1];
      body(*this);
      _exit(0);
    }
    close(ends[1]);
    const UniqueFd ready(ends[0]);
    char byte;
    EXPECT_EQ(read(ready.get(), &byte, 1), 1);
  }
  ~Child() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  void Ready() const { (void)!write(tell_, "x", 1); }
  pid_t pid() const { return pid_; }
  int Wait() {
    int status = 0;
    waitpid(std::exchange(pid_, 0), &status, 0);
    return status;
  }

 private:
  pid_t pid_ = 0;
  int tell_ = -1;
};

class ServerLockTest : public testing::Test {
 protected:
  // A process that serves the folder until SIGTERM.
  void Serve(Child& child, Origin origin) {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
    auto lock = ServerLock::TryTake(folder_.path(), origin);
    auto socket = ListenUnix(home_.get(), kServerSocket);
    if (!lock.ok() || !*lock || !socket.ok()) _exit(3);
    (*lock)->SetUrl("http://127.0.0.1:1");
    child.Ready();
    int number = 0;
    sigwait(&stop, &number);
  }

  const TempFolder folder_;
  const UniqueFd home_{open(folder_.path().c_str(), O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(ServerLockTest, IsHeldByOne) {
  {
    auto first = ServerLock::TryTake(folder_.path(), Origin::kAutomatic);
    ASSERT_TRUE(first.ok() && *first) << first.status();
    EXPECT_EQ(ServerLock::ReadHolder(folder_.path()).url, "");
    EXPECT_EQ(ServerLock::ReadHolder(folder_.path()).pid, getpid());
    (*first)->SetUrl("http://[::1]:80, odd");
    const ServerLock::Holder holder = ServerLock::ReadHolder(folder_.path());
    EXPECT_EQ(holder.pid, getpid());
    EXPECT_EQ(holder.origin, Origin::kAutomatic);
    EXPECT_EQ(holder.url, "http://[::1]:80, odd");
    const auto second = ServerLock::TryTake(folder_.path(), Origin::kServe);
    ASSERT_TRUE(second.ok());
    EXPECT_FALSE(*second);
  }
  EXPECT_TRUE(*ServerLock::TryTake(folder_.path(), Origin::kServe));
  std::ofstream(folder_.path() + "/server.lock") << "nonsense";
  EXPECT_EQ(ServerLock::ReadHolder(folder_.path()).pid, 0);
}

TEST_F(ServerLockTest, AServerThatWasAskedForReplacesAnAutomaticOne) {
  Child automatic([&](Child& child) { Serve(child, Origin::kAutomatic); });
  EXPECT_TRUE(absl::IsAlreadyExists(
      TakeServerLock(folder_.path(), home_.get(), Origin::kAutomatic)
          .status()));
  const auto lock = TakeServerLock(folder_.path(), home_.get(), Origin::kServe);
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_EQ(automatic.Wait(), 0);
  EXPECT_EQ(ServerLock::ReadHolder(folder_.path()).pid, getpid());
}

TEST_F(ServerLockTest, AServerThatWasAskedForIsNamed) {
  Child serve([&](Child& child) { Serve(child, Origin::kServe); });
  for (const Origin origin : {Origin::kServe, Origin::kAutomatic}) {
    const auto lock = TakeServerLock(folder_.path(), home_.get(), origin);
    EXPECT_TRUE(absl::IsAlreadyExists(lock.status())) << lock.status();
    EXPECT_THAT(std::string(lock.status().message()),
                HasSubstr(absl::StrCat("(pid ", serve.pid(),
                                       ") at http://127.0.0.1:1 serves ")));
  }
  // The file is not the listener's: nobody is told to go.
  std::ofstream(folder_.path() + "/server.lock")
      << "pid 1, automatic, http://x\n";
  const auto lock = TakeServerLock(folder_.path(), home_.get(), Origin::kServe);
  EXPECT_THAT(std::string(lock.status().message()),
              HasSubstr(absl::StrCat("(pid ", serve.pid(), ") serves ")));
}

TEST_F(ServerLockTest, AServerThatStopsIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Child stops([&](Child& child) {
    close(ends[1]);
    auto lock = ServerLock::TryTake(folder_.path(), Origin::kServe);
    child.Ready();
    char byte;
    (void)!read(ends[0], &byte, 1);
  });
  Child next([&](Child& child) {
    close(ends[1]);
    child.Ready();
    const auto lock =
        TakeServerLock(folder_.path(), home_.get(), Origin::kAutomatic);
    _exit(lock.ok() ? 0 : 1);
  });
  int status = 0;
  EXPECT_EQ(waitpid(next.pid(), &status, WNOHANG), 0);
  close(ends[1]);
  EXPECT_EQ(next.Wait(), 0);
  close(ends[0]);
}

TEST(SavedFlagsTest, AreReadInTheSameBoot) {
  const TempFolder folder;
  const UniqueFd home(open(folder.path().c_str(), O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(ReadSavedFlags(home.get()), std::nullopt);
  ASSERT_TRUE(SaveFlags(home.get(), {"--host", "a\n\"b", ""}).ok());
  EXPECT_THAT(ReadSavedFlags(home.get()),
              Optional(ElementsAre("--host", "a\n\"b", "")));
  RemoveSavedFlags(home.get());
  EXPECT_EQ(ReadSavedFlags(home.get()), std::nullopt);
  for (const std::string text :
       {"", "{", "[]", "{\"boot\":\"other\",\"flags\":[\"--demo\"]}"}) {
    std::ofstream(folder.path() + "/serve.json") << text;
    EXPECT_EQ(ReadSavedFlags(home.get()), std::nullopt) << text;
  }
}

class BelowAgentTest : public testing::Test {
 protected:
  BelowAgentTest() {
    for (const char* const home : {"/own", "/other", "/user"}) {
      std::filesystem::create_directories(
          absl::StrCat(folder_.path(), home, "/.local/state/troika/tasks"));
      std::filesystem::create_directories(
          absl::StrCat(folder_.path(), home, "/tasks/t1"));
    }
    log_ = UniqueFd(open((folder_.path() + "/own/tasks/t1/log.v1").c_str(),
                         O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  }
  absl::Status Check(absl::string_view home, absl::string_view name) const {
    // This process stands for the relay, whose log it holds open.
    const std::vector<ProcessInfo> ancestors = {
        {.pid = 0, .name = "troika"},
        {.pid = getpid(), .name = std::string(name)},
        {.pid = 1, .name = "init"}};
    return CheckNotBelowAgent(
        absl::StrCat(folder_.path(), home),
        Environment(Environment::Map{{"HOME", folder_.path() + "/user"}}),
        ancestors);
  }

  const TempFolder folder_;
  UniqueFd log_;
};

TEST_F(BelowAgentTest, NoServerOfASharedFolderStarts) {
  EXPECT_TRUE(Check("/own", "bash").ok());
  for (const char* const name : {"troika-relay", "troika-guard"}) {
    const absl::Status own = Check("/own", name);
    EXPECT_TRUE(absl::IsPermissionDenied(own)) << own;
    EXPECT_THAT(std::string(own.message()), HasSubstr("(of task t1)"));
    EXPECT_THAT(std::string(own.message()), HasSubstr("`troika serve`"));
    EXPECT_TRUE(Check("/other", name).ok());
    EXPECT_TRUE(
        absl::IsPermissionDenied(Check("/user/.local/state/troika", name)));
  }
}

TEST_F(BelowAgentTest, TheSameFolderByAnotherName) {
  std::filesystem::create_directory_symlink(folder_.path() + "/own",
                                            folder_.path() + "/link");
  EXPECT_TRUE(absl::IsPermissionDenied(Check("/link", "troika-relay")));
}

TEST_F(BelowAgentTest, ARelayWhoseFolderIsNotSeenMayBeOfAnyFolder) {
  std::filesystem::remove(folder_.path() + "/own/tasks/t1/log.v1");
  EXPECT_TRUE(absl::IsPermissionDenied(Check("/other", "troika-relay")));
  log_.Reset();
  EXPECT_TRUE(absl::IsPermissionDenied(Check("/other", "troika-relay")));
}

// A process whose loop takes signals; `stop` is called at the first.
int StatusAfter(std::vector<int> signals, bool blocks,
                void (*stop)(EventLoop*)) {
  Child child([&](Child& self) {
    EventLoop loop;
    const StopSignals watch(&loop, [&] { stop(&loop); });
    self.Ready();
    // As if a callback hung.
    while (blocks) pause();
    loop.Run();
    _exit(7);
  });
  for (const int number : signals) kill(child.pid(), number);
  return child.Wait();
}

TEST(StopSignalsTest, TheFirstStopsTheLoop) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    const int status = StatusAfter({number}, /*blocks=*/false,
                                   [](EventLoop* loop) { loop->Stop(); });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
}

TEST(StopSignalsTest, TheSecondEndsAtOnce) {
  const int status = StatusAfter({SIGTERM, SIGINT}, /*blocks=*/true, nullptr);
  EXPECT_TRUE(WIFSIGNALED(status)) << status;
}

TEST(StopSignalsTest, AStopThatHangsIsEnded) {
  const int status = StatusAfter({SIGTERM}, /*blocks=*/true, nullptr);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace troika
