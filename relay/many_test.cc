// Tests many clients and many relays, and that none of them leaks a descriptor.
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/start.h"
#include "relay/testing.h"

namespace troika::relay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

int64_t OpenFds(const std::string& process) {
  std::error_code error;
  const std::filesystem::directory_iterator fds("/proc/" + process + "/fd",
                                                error);
  return std::distance(begin(fds), end(fds));
}

// A client that reads the log whenever the relay says that it has grown.
struct Follower {
  std::unique_ptr<Client> client;
  LogReader reader;
  CollectingSink told;
  bool gone = false;

  void OnPolled() {
    const auto news = client->OnPolled();
    gone = !news.ok();
    if (gone || news->tip) {
      EXPECT_TRUE(reader.Read(told).ok());
    }
  }
};

TEST(ManyTest, AHundredFollowByTip) {
  TestRelay relay(
      "read x; i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done");
  std::vector<Follower> followers;
  for (int i = 0; i < 100; ++i) {
    auto client = relay.Connect(i == 0 ? Role::kDriver : Role::kWatcher);
    ASSERT_NE(client, nullptr);
    auto reader = LogReader::Open(relay.dir_fd());
    ASSERT_TRUE(reader.ok());
    followers.push_back({std::move(client), *std::move(reader)});
  }
  followers[0].client->Send({.key = "go", .payload = "\n"});
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  size_t gone = 0;
  while (gone < followers.size() && absl::Now() < deadline) {
    std::vector<pollfd> fds;
    for (const Follower& f : followers) {
      fds.push_back(
          {.fd = f.gone ? -1 : f.client->fd(), .events = f.client->events()});
    }
    poll(fds.data(), fds.size(), 1000);
    for (size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].revents == 0) continue;
      followers[i].OnPolled();
      gone += followers[i].gone ? 1 : 0;
    }
  }
  EXPECT_EQ(gone, followers.size());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(log.records.back().payload, HasSubstr("\"exited\""));
  for (const Follower& f : followers) {
    EXPECT_EQ(f.told.records.size(), log.records.size());
    EXPECT_THAT(f.told.damages, IsEmpty());
  }
}

TEST(ManyTest, TwentyRelaysAtOnce) {
  const int64_t before = OpenFds("self");
  {
    const std::string program = *FindRelayProgram();
    SystemClock clock;
    std::vector<std::unique_ptr<TempFolder>> folders;
    std::vector<StartingRelay> ready;
    for (int i = 0; i < 20; ++i) {
      folders.push_back(std::make_unique<TempFolder>());
      auto log = LogWriter::Open(folders[i]->fd(), "task1", &clock);
      ASSERT_TRUE(log.ok());
      auto fd = StartRelay(program,
                           {.argv = {"/bin/echo", absl::StrCat("agent ", i)},
                            .cwd = "/",
                            .spawned_note = "{}"},
                           *std::move(log), folders[i]->fd());
      ASSERT_TRUE(fd.ok()) << fd.status();
      ready.push_back(*std::move(fd));
    }
    for (const StartingRelay& r : ready) EXPECT_TRUE(RelayStarted(r).ok());
    for (int i = 0; i < 20; ++i) {
      absl::StatusOr<LogWriter> log = absl::UnknownError("not opened");
      const absl::Time deadline = absl::Now() + absl::Seconds(20);
      while (!log.ok() && absl::Now() < deadline) {
        log = LogWriter::Open(folders[i]->fd(), "task1", &clock);
        absl::SleepFor(absl::Milliseconds(5));
      }
      ASSERT_TRUE(log.ok()) << log.status();
      const CollectingSink told = ReadLog(folders[i]->fd());
      EXPECT_THAT(told.damages, IsEmpty());
      EXPECT_EQ(Joined(told, Stream::kStdout), absl::StrCat("agent ", i, "\n"));
      EXPECT_THAT(told.records.back().payload, HasSubstr("\"code\":0"));
    }
  }
  EXPECT_EQ(OpenFds("self"), before);
}

TEST(ManyTest, ClientsLeaveNoDescriptorsInTheRelay) {
  const int64_t before = OpenFds("self");
  {
    TestRelay relay("echo ready; read x");
    // Until then, the guard's process may have the name of its relay.
    ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
      return !Joined(log, Stream::kStdout).empty();
    }));
    auto driver = relay.Connect(Role::kDriver);
    ASSERT_NE(driver, nullptr);
    const std::string pid =
        absl::StrCat(RelayProcess(relay.folder().path(), "troika-relay"));
    const int64_t relays = OpenFds(pid);
    EXPECT_GT(relays, 0);
    for (int i = 0; i < 100; ++i) {
      auto client = relay.Connect(Role::kWatcher);
      ASSERT_NE(client, nullptr);
    }
    // The answer means that the relay has handled everything that came before.
    relay.Ask(*driver, {.type = FrameType::kNote, .key = "n", .payload = "{}"});
    absl::SleepFor(absl::Milliseconds(50));
    EXPECT_EQ(OpenFds(pid), relays);
    relay.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "c"});
    ASSERT_TRUE(relay.WaitForEnd());
  }
  EXPECT_EQ(OpenFds("self"), before);
}

}  // namespace
}  // namespace troika::relay
