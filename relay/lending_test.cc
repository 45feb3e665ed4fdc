// A relay lends the agent's stdout to its driver, and takes it back.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/leased_output.h"
#include "relay/log_search.h"
#include "relay/testing.h"

namespace troika::relay {
namespace {

using ::testing::IsEmpty;
using Outcome = LeasedOutput::Outcome;

constexpr absl::Duration kPatience = absl::Seconds(20);
// Prints what it reads.
constexpr char kEcho[] = "while read x; do echo \"got $x\"; done";

// Asks the relay for a lease; null if it refuses.
std::unique_ptr<LeasedOutput> Borrow(Client& client) {
  client.Send({.type = FrameType::kLend, .key = "lease"});
  const absl::Time deadline = absl::Now() + kPatience;
  while (absl::Now() < deadline) {
    auto news = client.OnPolled();
    if (!news.ok()) return nullptr;
    if (!news->lent.empty()) {
      auto lease = LeasedOutput::Open(std::move(news->lent));
      return lease.ok() ? *std::move(lease) : nullptr;
    }
    for (const Reply& reply : news->replies) {
      if (reply.key == "lease") return nullptr;
    }
    pollfd fd = {.fd = client.fd(), .events = client.events()};
    poll(&fd, 1, 100);
  }
  return nullptr;
}

// Has the agent print until the driver records it: the relay lends stdout only
// when it waits for the agent, and reads what comes before.
bool RecordsSoon(TestRelay& relay, Client& client, LeasedOutput& lease) {
  for (int i = 0; i < 100; ++i) {
    const std::string key = absl::StrCat("try-", i);
    relay.Ask(client, {.key = key, .payload = absl::StrCat(key, "\n")});
    for (int wait = 0; wait < 20; ++wait) {
      if (lease.Record() == Outcome::kRecorded) return true;
      const std::string out = Joined(relay.Log(), Stream::kStdout);
      if (out.find(absl::StrCat(key, "\n")) != std::string::npos) break;
      absl::SleepFor(absl::Milliseconds(5));
    }
  }
  return false;
}

bool HasPrinted(TestRelay& relay, absl::string_view text) {
  return relay.WaitFor([&](const CollectingSink& log) {
    return Joined(log, Stream::kStdout).find(std::string(text)) !=
           std::string::npos;
  });
}

// Expects that the agent's answers are in the log once each, in the order of
// its inputs.
void ExpectEchoes(TestRelay& relay) {
  const CollectingSink log = relay.Log();
  EXPECT_THAT(log.damages, IsEmpty());
  std::string wanted;
  for (const OwnedRecord& record : log.records) {
    if (record.stream == Stream::kStdin) {
      absl::StrAppend(&wanted, "got ", record.payload, "\n");
    }
  }
  EXPECT_EQ(Joined(log, Stream::kStdout), wanted);
}

TEST(LendingTest, DriverRecordsAndTheRelayGoesOnWhenItIsGone) {
  TestRelay relay(kEcho);
  auto client = relay.Connect(Role::kDriver);
  ASSERT_NE(client, nullptr);
  auto lease = Borrow(*client);
  ASSERT_NE(lease, nullptr);
  ASSERT_TRUE(RecordsSoon(relay, *client, *lease));
  client.reset();
  client = relay.Connect(Role::kDriver);
  ASSERT_EQ(client->role(), Role::kDriver);
  relay.Ask(*client, {.key = "b", .payload = "two\n"});
  EXPECT_TRUE(HasPrinted(relay, "got two\n"));
  EXPECT_EQ(lease->Record(), Outcome::kNothing);
  const auto next = Borrow(*client);
  ASSERT_NE(next, nullptr);
  EXPECT_TRUE(RecordsSoon(relay, *client, *next));
  relay.Ask(*client, {.type = FrameType::kCloseStdin, .key = "c"});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_EQ(next->Record(), Outcome::kNothing);
  ExpectEchoes(relay);
}

TEST(LendingTest, RelayReadsForADriverThatDoesNot) {
  TestRelay relay(kEcho);
  const auto client = relay.Connect(Role::kDriver);
  const auto lease = Borrow(*client);
  ASSERT_NE(lease, nullptr);
  ASSERT_TRUE(RecordsSoon(relay, *client, *lease));
  relay.Ask(*client, {.key = "a", .payload = "one\n"});
  EXPECT_TRUE(HasPrinted(relay, "got one\n"));
  relay.Ask(*client, {.type = FrameType::kCloseStdin, .key = "b"});
  ASSERT_TRUE(relay.WaitForEnd());
  ExpectEchoes(relay);
}

TEST(LendingTest, WatchersAreToldOfAllOutput) {
  TestRelay relay(kEcho);
  const auto client = relay.Connect(Role::kDriver);
  const auto lease = Borrow(*client);
  ASSERT_NE(lease, nullptr);
  ASSERT_TRUE(RecordsSoon(relay, *client, *lease));
  const auto watcher = relay.Connect(Role::kWatcher);
  relay.Ask(*client, {.key = "a", .payload = "one\n"});
  EXPECT_TRUE(HasPrinted(relay, "got one\n"));
  EXPECT_EQ(lease->Record(), Outcome::kNothing);
  // Only drivers get a lease.
  EXPECT_EQ(
      relay.Ask(*watcher, {.type = FrameType::kLend, .key = "lease"}).code,
      ReplyCode::kNotDriver);
  relay.Ask(*client, {.type = FrameType::kCloseStdin, .key = "b"});
  ASSERT_TRUE(relay.WaitForEnd());
  ExpectEchoes(relay);
}

TEST(LendingTest, LinesWithoutAnEndAreReturned) {
  TestRelay relay("read x; printf half; read y; echo done");
  const auto client = relay.Connect(Role::kDriver);
  const auto lease = Borrow(*client);
  ASSERT_NE(lease, nullptr);
  relay.Ask(*client, {.key = "a", .payload = "go\n"});
  const absl::Time deadline = absl::Now() + kPatience;
  while (absl::Now() < deadline &&
         Joined(relay.Log(), Stream::kStdout) != "half") {
    if (lease->Record() == Outcome::kReturned) {
      client->Send({.type = FrameType::kReturn, .key = "lease"});
    }
    absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_EQ(Joined(relay.Log(), Stream::kStdout), "half");
  relay.Ask(*client, {.key = "b", .payload = "go\n"});
  ASSERT_TRUE(relay.WaitForEnd());
  EXPECT_EQ(Joined(relay.Log(), Stream::kStdout), "halfdone\n");
}

}  // namespace
}  // namespace troika::relay
