#include "task/command_queue.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Time kStart = absl::UnixEpoch();

std::vector<std::string> Sent(CommandQueue& queue, absl::Time now = kStart) {
  std::vector<std::string> keys;
  queue.Send(now, [&](const RelayCommand& c) { keys.push_back(c.key); });
  return keys;
}

TEST(CommandQueueTest, EachIsSentOnceAConnection) {
  CommandQueue queue;
  queue.Add({.key = "a"});
  queue.Add({.key = "b"});
  queue.Add({.key = "a"});
  EXPECT_THAT(Sent(queue), ElementsAre("a", "b"));
  EXPECT_THAT(Sent(queue), IsEmpty());
  queue.OnAnswer({.key = "a"}, kStart);
  queue.OnDisconnected();
  EXPECT_THAT(Sent(queue), ElementsAre("b"));
}

TEST(CommandQueueTest, WhatIsWantedAndAnsweredIsNotAddedAgain) {
  CommandQueue queue;
  const std::vector<Outgoing> outbox = {
      {.key = "p", .bytes = "x"}, {.key = "e", .kind = Outgoing::Kind::kClose}};
  queue.AddWanted(outbox);
  EXPECT_THAT(Sent(queue), ElementsAre("p", "e"));
  queue.OnAnswer({.key = "p"}, kStart);
  queue.AddWanted(outbox);
  EXPECT_THAT(Sent(queue), IsEmpty());
}

TEST(CommandQueueTest, WhatCannotBeTakenIsTriedAgainInOrder) {
  CommandQueue queue;
  queue.Add({.type = relay::FrameType::kWrite, .key = "a"});
  EXPECT_THAT(Sent(queue), ElementsAre("a"));
  queue.OnAnswer({.key = "a", .code = relay::ReplyCode::kExhausted}, kStart);
  queue.Add({.type = relay::FrameType::kWrite, .key = "b"});
  queue.Add({.type = relay::FrameType::kStop, .key = "stop"});
  // A stop waits for nobody.
  EXPECT_THAT(Sent(queue, kStart + absl::Microseconds(1)), ElementsAre("stop"));
  EXPECT_LT(queue.wake_at(), absl::InfiniteFuture());
  EXPECT_THAT(Sent(queue, kStart + absl::Seconds(1)), ElementsAre("a", "b"));
  EXPECT_EQ(queue.wake_at(), absl::InfiniteFuture());
}

TEST(CommandQueueTest, TurnsOutliveTheProcess) {
  CommandQueue queue;
  queue.Add({.key = "turn-2", .is_turn = true, .outlives_process = true});
  queue.Add({.type = relay::FrameType::kStop, .key = "stop"});
  Sent(queue);
  queue.OnAnswer({.key = "turn-2", .code = relay::ReplyCode::kEnded}, kStart);
  EXPECT_THAT(Sent(queue, kStart + absl::Seconds(1)), IsEmpty());
  EXPECT_TRUE(queue.HasTurns());
  EXPECT_TRUE(queue.HasLasting());
  EXPECT_THAT(queue.Reset(), SizeIs(1));
  EXPECT_FALSE(queue.HasTurns());
  EXPECT_FALSE(queue.HasLasting());
  queue.Add({.key = "stop"});
  EXPECT_THAT(Sent(queue), ElementsAre("stop"));
}

}  // namespace
}  // namespace troika
