// A relay has one driver at a time, promotes the next when that one is gone,
// and refuses processes that an agent started.
#include <poll.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/start.h"
#include "relay/testing.h"

namespace troika::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Polls a client until it is the driver, for up to 10 s.
bool BecomesDriver(Client& client) {
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  while (client.role() != Role::kDriver && absl::Now() < deadline) {
    pollfd fd = {.fd = client.fd(), .events = client.events()};
    poll(&fd, 1, 100);
    if (!client.OnPolled().ok()) return false;
  }
  return client.role() == Role::kDriver;
}

TEST(DriverTest, WhoWaitsDrivesWhenTheDriverIsGone) {
  TestRelay relay("read x");
  auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->role(), Role::kDriver);
  const auto watcher = relay.Connect(Role::kWatcher);
  const auto second = relay.Connect(Role::kDriver);
  const auto third = relay.Connect(Role::kDriver);
  EXPECT_EQ(second->role(), Role::kWatcher);
  EXPECT_EQ(second->watch_reason(), WatchReason::kOtherDrives);
  const auto refused = relay.Ask(*second, {.key = "a", .payload = "x\n"});
  EXPECT_EQ(refused.code, ReplyCode::kNotDriver);
  EXPECT_THAT(refused.text, HasSubstr("another one drives"));
  driver.reset();
  ASSERT_TRUE(BecomesDriver(*second));
  EXPECT_EQ(
      relay
          .Ask(*second, {.type = FrameType::kNote, .key = "b", .payload = "{}"})
          .code,
      ReplyCode::kOk);
  EXPECT_EQ(
      relay.Ask(*third, {.type = FrameType::kCloseStdin, .key = "c"}).code,
      ReplyCode::kNotDriver);
  EXPECT_EQ(
      relay.Ask(*watcher, {.type = FrameType::kCloseStdin, .key = "d"}).code,
      ReplyCode::kNotDriver);
  EXPECT_EQ(watcher->watch_reason(), WatchReason::kAskedTo);
  relay.Ask(*second, {.type = FrameType::kCloseStdin, .key = "e"});
  ASSERT_TRUE(relay.WaitForEnd());
}

// A script that says hello as a driver, asks for a turn, and prints the role,
// the reason and the end of the reply. `prefix` precedes the interpreter.
std::string Intruder(absl::string_view prefix = "") {
  return absl::StrCat(prefix, R"( python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect("relay.sock")
s.sendall(bytes([4, 0, 0, 0, 1, 1, 1, 1]))
welcome = s.recv(33)
note = b"{\"note\":\"turn\",\"by\":\"user\"}"
body = bytes([1, 6, 1, 0, 0, 0]) + b"k" + len(note).to_bytes(4, "little") + note
s.sendall(len(body).to_bytes(4, "little") + body)
reply = b""
while b"tell who" not in reply and b"only watches" not in reply:
    more = s.recv(4096)
    if not more: break
    reply += more
print(welcome[7], welcome[-1], reply[-20:].decode("latin-1"), flush=True)
')");
}

void ExpectTurnedAway(TestRelay& intruder, TestRelay& victim) {
  ASSERT_TRUE(intruder.started().ok()) << intruder.started();
  ASSERT_TRUE(intruder.WaitFor([](const CollectingSink& log) {
    return absl::StrContains(Joined(log, Stream::kStdout), "\n");
  })) << Joined(intruder.Log(), Stream::kStderr);
  EXPECT_THAT(Joined(intruder.Log(), Stream::kStdout),
              ::testing::StartsWith("0 2 "));
  EXPECT_THAT(Notes(victim.Log(), "turn"), IsEmpty());
}

TEST(DriverTest, AgentsCantDriveOtherAgents) {
  TestRelay victim("read x");
  for (const char* prefix : {"", "setsid", "setsid --fork"}) {
    TestRelay intruder(Intruder(prefix), {.cwd = victim.folder().path()});
    ExpectTurnedAway(intruder, victim);
  }
  // The intruders do not keep others from driving.
  const auto driver = victim.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->role(), Role::kDriver);
  EXPECT_EQ(
      victim.Ask(*driver, {.type = FrameType::kCloseStdin, .key = "c"}).code,
      ReplyCode::kOk);
  ASSERT_TRUE(victim.WaitForEnd());
}

TEST(DriverTest, AgentsCantDriveThemselves) {
  TestRelay relay(absl::StrCat(
      "while [ ! -e relay.sock ]; do sleep 0.01; done;", Intruder()));
  ExpectTurnedAway(relay, relay);
  ASSERT_TRUE(relay.WaitForEnd());
}

TEST(DriverTest, AgentsCantKeepOthersFromConnecting) {
  TestRelay relay(R"(python3 -c '
import os, socket, time
while not os.path.exists("relay.sock"): time.sleep(0.01)
held = []
refused = 0
while refused < 20:
    s = socket.socket(socket.AF_UNIX)
    s.connect("relay.sock")
    try:
        s.sendall(bytes([4, 0, 0, 0, 1, 1, 1, 0]))
        welcomed = s.recv(6)[5:6] == bytes([65])  # A refusal is a reply, 66.
    except (BrokenPipeError, ConnectionResetError):
        welcomed = False  # It was refused before it had said anything.
    if welcomed: held.append(s)
    else: refused += 1
print("full", flush=True)
input()
')");
  ASSERT_TRUE(relay.WaitFor([](const CollectingSink& log) {
    return Joined(log, Stream::kStdout) == "full\n";
  })) << Joined(relay.Log(), Stream::kStderr);
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  EXPECT_EQ(driver->role(), Role::kDriver);
  EXPECT_EQ(relay.Ask(*driver, {.key = "a", .payload = "\n"}).code,
            ReplyCode::kOk);
  ASSERT_TRUE(relay.WaitForEnd());
}

TEST(DriverTest, WelcomeTellsTheRelaysClock) {
  TestRelay relay("read x");
  auto client = Client::Connect(relay.dir_fd(), Role::kDriver);
  ASSERT_TRUE(client.ok());
  std::optional<absl::Time> told;
  SystemClock clock;
  while (!client->role()) {
    pollfd fd = {.fd = client->fd(), .events = client->events()};
    ASSERT_GT(poll(&fd, 1, 10000), 0);
    const auto news = client->OnPolled();
    ASSERT_TRUE(news.ok());
    if (news->awake) told = news->awake;
  }
  ASSERT_TRUE(told.has_value());
  EXPECT_LT(absl::AbsDuration(*told - clock.Awake()), absl::Seconds(10));
  relay.Ask(*client, {.type = FrameType::kCloseStdin, .key = "c"});
  ASSERT_TRUE(relay.WaitForEnd());
}

TEST(RelayClockTest, LeapIsInTheLogBeforeWhatFollowsIt) {
  TempFolder folder;
  SystemClock clock;
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  ASSERT_TRUE(log.ok());
  const auto ready = StartRelay(
      "relay/leaping_relay",
      {.argv = {"/bin/sh", "-c",
                "echo before; sleep 0.1; >leap; sleep 0.1; echo after"},
       .env = {"PATH=/usr/bin:/bin"},
       .cwd = folder.path(),
       .spawned_note = "{\"note\":\"spawned\"}"},
      *std::move(log), folder.fd());
  ASSERT_TRUE(ready.ok()) << ready.status();
  ASSERT_TRUE(RelayStarted(*ready).ok());
  ASSERT_TRUE(WaitForLogEnd(folder.fd()));
  const CollectingSink read = ReadLog(folder.fd());
  EXPECT_THAT(Notes(read, "clock"),
              ElementsAre("{\"note\":\"clock\",\"leap_us\":28800000000}"));
  constexpr int64_t kLeap = int64_t{8} * 3600 * 1000000;
  int64_t leaps = 0;
  int64_t last = read.records.at(0).micros;
  for (const OwnedRecord& record : read.records) {
    if (absl::StrContains(record.payload, "leap_us")) leaps = kLeap;
    const int64_t awake = record.micros - leaps;
    EXPECT_GE(awake, last) << record.payload;
    EXPECT_LT(awake, last + 10000000) << record.payload;
    last = awake;
  }
  EXPECT_EQ(leaps, kLeap);
}

}  // namespace
}  // namespace troika::relay
