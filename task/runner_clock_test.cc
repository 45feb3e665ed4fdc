// Deadlines where the clocks of relay and runner differ, and relays that are
// older than the runner. The relay is played by the test.
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/check.h"
#include "base/unix_socket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/frame.h"
#include "relay/log_writer.h"
#include "relay/testing.h"
#include "task/notes.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Duration kMinute = absl::Minutes(1);

// The relay of a task that waits for its start: says that a process lives, and
// welcomes who connects.
class FakeRelay {
 public:
  struct Options {
    relay::Role role = relay::Role::kDriver;
    bool tells_clock = true;
  };

  // `ahead` is how far its clock is ahead of the real time.
  FakeRelay(const TaskFolder& folder, absl::Duration ahead, Options options)
      : options_(options) {
    clock_.Advance(SystemClock().Now() - clock_.Now() + ahead);
    auto log = relay::LogWriter::Open(folder.fd.get(), folder.id, &clock_);
    CHECK(log.ok());
    log_.emplace(*std::move(log));
    Append(notes::ToJson(notes::Spawned{
        .generation = 1, .turn = 1, .version = "1", .stdin_mode = "prompt"}));
    auto listener = ListenUnix(folder.fd.get(), relay::kSocketName);
    CHECK(listener.ok());
    listener_ = *std::move(listener);
  }

  Options& options() { return options_; }
  FakeClock& clock() { return clock_; }
  int connections() const { return static_cast<int>(clients_.size()); }
  // The notes of the stops that it was asked for.
  const std::vector<std::string>& stops() const { return stops_; }

  void Append(absl::string_view note) {
    log_->Append({.payload = note});
    CHECK(log_->Flush().ok());
    Tell(relay::Encode(relay::Tip{log_->next_number() - 1, log_->offset()}));
  }

  // Does what there is to do.
  void Serve() {
    UniqueFd fd(accept4(listener_.get(), nullptr, nullptr,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (fd.ok()) clients_.push_back({std::move(fd)});
    for (Connection& client : clients_) Read(client);
  }

 private:
  struct Connection {
    UniqueFd fd;
    std::unique_ptr<relay::FrameReader> frames =
        std::make_unique<relay::FrameReader>(relay::kMaxCommandFrame);
  };

  void Read(Connection& client) {
    char bytes[4096];
    const ssize_t n = recv(client.fd.get(), bytes, sizeof(bytes), 0);
    if (n <= 0) return;
    client.frames->Feed({bytes, static_cast<size_t>(n)});
    while (const auto frame = client.frames->Next()) {
      if (relay::DecodeHello(*frame)) {
        relay::Welcome welcome = {.role = options_.role,
                                  .record = log_->next_number() - 1,
                                  .offset = log_->offset()};
        if (options_.tells_clock) {
          welcome.more = {.awake = clock_.Now()};
        }
        Send(client, relay::Encode(welcome));
      } else if (const auto command = relay::DecodeCommand(*frame)) {
        if (command->type == relay::FrameType::kStop) {
          stops_.emplace_back(command->payload);
        }
        Send(client,
             relay::Encode(relay::Reply{.key = std::string(command->key)}));
      }
    }
  }
  void Tell(const std::string& bytes) {
    for (Connection& client : clients_) Send(client, bytes);
  }
  static void Send(Connection& client, const std::string& bytes) {
    (void)!send(client.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  Options options_;
  FakeClock clock_;
  std::optional<relay::LogWriter> log_;
  UniqueFd listener_;
  std::vector<Connection> clients_;
  std::vector<std::string> stops_;
};

class RunnerClockTest : public testing::Test {
 protected:
  // A task whose process the test plays.
  std::unique_ptr<TestTask> MakeTask() {
    TestTask::Options options = {.harness = Harness::kCodex,
                                 .script = "ok",
                                 .may_start = [] { return false; }};
    options.request.timeouts = {.start = absl::Minutes(1)};
    auto task = std::make_unique<TestTask>(&home_, std::move(options));
    EXPECT_TRUE(task->created().ok()) << task->created();
    EXPECT_TRUE(task->Until([&] { return task->runner().waits_for_start(); }));
    return task;
  }

  // Both clocks go on; what the runner then has seen is judged.
  static void Pass(absl::Duration time, TestTask& task, FakeRelay& relay) {
    relay.clock().Advance(time);
    task.clock().Advance(time);
    int looks = 0;
    EXPECT_TRUE(task.Until([&] {
      relay.Serve();
      return ++looks > 5;
    }));
  }

  static bool Connects(TestTask& task, FakeRelay& relay) {
    return task.Until([&] {
      relay.Serve();
      return task.runner().role().has_value();
    });
  }

  TestHome home_;
};

TEST_F(RunnerClockTest, DeadlineComesInTimeHoweverTheRealTimesDiffer) {
  for (const absl::Duration ahead :
       {absl::ZeroDuration(), absl::Hours(8), -absl::Hours(8)}) {
    const auto task = MakeTask();
    FakeRelay relay(task->runner().folder(), ahead, {});
    ASSERT_TRUE(Connects(*task, relay));
    Pass(absl::Seconds(50), *task, relay);
    EXPECT_THAT(relay.stops(), IsEmpty()) << ahead;
    Pass(absl::Seconds(12), *task, relay);
    ASSERT_THAT(relay.stops(), SizeIs(1)) << ahead;
    EXPECT_THAT(relay.stops()[0], HasSubstr(R"("which":"start")"));
  }
}

TEST_F(RunnerClockTest, RestartedRunnerCountsWhatPassedBeforeIt) {
  for (const absl::Duration ahead : {absl::Hours(8), -absl::Hours(8)}) {
    auto first = MakeTask();
    const std::string id = first->runner().folder().id;
    FakeRelay relay(first->runner().folder(), ahead, {});
    first.reset();
    relay.clock().Advance(absl::Seconds(50));
    TestTask second(&home_, id);
    second.clock().Advance(absl::Seconds(50));
    ASSERT_TRUE(Connects(second, relay));
    Pass(absl::Seconds(5), second, relay);
    EXPECT_THAT(relay.stops(), IsEmpty()) << ahead;
    Pass(absl::Seconds(6), second, relay);
    EXPECT_THAT(relay.stops(), SizeIs(1)) << ahead;
  }
}

TEST_F(RunnerClockTest, RelayThatTellsNoClockIsNeverEndedTooEarly) {
  auto first = MakeTask();
  const std::string id = first->runner().folder().id;
  FakeRelay relay(first->runner().folder(), -absl::Hours(8),
                  {.tells_clock = false});
  first.reset();
  relay.clock().Advance(absl::Seconds(50));
  TestTask second(&home_, id);
  second.clock().Advance(absl::Seconds(50));
  ASSERT_TRUE(Connects(second, relay));
  // It is counted from when the runner saw the last record.
  Pass(absl::Seconds(50), second, relay);
  EXPECT_THAT(relay.stops(), IsEmpty());
  // A record that just came tells how late it is by the relay's clock.
  relay.Append(R"({"note":"trouble","text":"none"})");
  ASSERT_TRUE(second.Until([&] {
    relay.Serve();
    return !relay.stops().empty();
  }));
}

TEST_F(RunnerClockTest, SleepOfTheMachineEndsNothing) {
  const auto task = MakeTask();
  FakeRelay relay(task->runner().folder(), absl::ZeroDuration(), {});
  ASSERT_TRUE(Connects(*task, relay));
  Pass(absl::Seconds(30), *task, relay);
  // Records have the real time, and the runner's clock stood still as well.
  relay.clock().Advance(absl::Hours(8));
  relay.Append(notes::ToJson(notes::Clock{.leap = absl::Hours(8)}));
  Pass(absl::Seconds(20), *task, relay);
  EXPECT_THAT(relay.stops(), IsEmpty());
  Pass(absl::Seconds(12), *task, relay);
  EXPECT_THAT(relay.stops(), SizeIs(1));
}

TEST_F(RunnerClockTest, DeadlineThatWasOversleptWaitsForAWordOfTheAgent) {
  const auto task = MakeTask();
  FakeRelay relay(task->runner().folder(), absl::ZeroDuration(), {});
  ASSERT_TRUE(Connects(*task, relay));
  // A virtual machine that was paused, and whose clock went on.
  Pass(absl::Hours(8), *task, relay);
  EXPECT_THAT(relay.stops(), IsEmpty());
  EXPECT_NE(task->runner().wake_at(), absl::InfiniteFuture());
  Pass(absl::Seconds(3), *task, relay);
  EXPECT_THAT(relay.stops(), SizeIs(1));
}

TEST_F(RunnerClockTest, WatcherOfAnOldRelayBecomesItsDriver) {
  const auto task = MakeTask();
  FakeRelay relay(task->runner().folder(), absl::ZeroDuration(),
                  {.role = relay::Role::kWatcher, .tells_clock = false});
  ASSERT_TRUE(Connects(*task, relay));
  EXPECT_THAT(task->runner().Stop("user", "").message(),
              HasSubstr("another troika drives task"));
  // The runner asks its relay at once after a command.
  EXPECT_LE(task->runner().wake_at(), task->clock().Awake());
  ASSERT_TRUE(task->Until([&] {
    relay.Serve();
    return relay.connections() == 2;
  }));
  ASSERT_TRUE(Connects(*task, relay));
  // The other one goes.
  relay.options().role = relay::Role::kDriver;
  Pass(kMinute / 60, *task, relay);
  ASSERT_TRUE(task->Until([&] {
    relay.Serve();
    return task->runner().role() == relay::Role::kDriver;
  }));
  EXPECT_TRUE(task->runner().Stop("user", "now").ok());
  ASSERT_TRUE(task->Until([&] {
    relay.Serve();
    return !relay.stops().empty();
  }));
  EXPECT_THAT(relay.stops()[0], HasSubstr(R"("note":"stop")"));
}

TEST_F(RunnerClockTest, WatcherOfARelayDrivesWhenItsDriverIsGone) {
  auto first = std::make_unique<TestTask>(
      &home_,
      TestTask::Options{.harness = Harness::kCodex, .script = "say A.\nhang"});
  ASSERT_TRUE(first->UntilStatus(TaskStatus::kRunning));
  TestTask second(&home_, first->runner().folder().id);
  ASSERT_TRUE(second.Until(
      [&] { return second.runner().role() == relay::Role::kWatcher; }));
  EXPECT_FALSE(second.runner().Stop("user", "").ok());
  first.reset();
  ASSERT_TRUE(second.Until(
      [&] { return second.runner().role() == relay::Role::kDriver; }));
  ASSERT_TRUE(second.runner().Stop("user", "").ok());
  ASSERT_TRUE(second.UntilEnd());
  EXPECT_EQ(second.state().status, TaskStatus::kInterrupted);
}

}  // namespace
}  // namespace troika
