#include "task/command_queue.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kSecond = 1000000;

std::vector<std::string> Sent(CommandQueue& queue, int64_t now) {
  std::vector<std::string> keys;
  queue.Send(now, [&](const RelayCommand& c) { keys.push_back(c.key); });
  return keys;
}

TEST(CommandQueueTest, EachIsSentOnceAConnection) {
  CommandQueue queue;
  queue.Add({.key = "a"});
  queue.Add({.key = "b"});
  queue.Add({.key = "a"});
  EXPECT_THAT(Sent(queue, 0), ElementsAre("a", "b"));
  EXPECT_THAT(Sent(queue, 0), IsEmpty());
  queue.OnAnswer({.key = "a"}, 0);
  queue.OnDisconnected();
  EXPECT_THAT(Sent(queue, 0), ElementsAre("b"));
}

TEST(CommandQueueTest, WhatIsWantedAndAnsweredIsNotAddedAgain) {
  CommandQueue queue;
  const std::vector<Outgoing> outbox = {
      {.key = "p", .bytes = "x"}, {.key = "e", .kind = Outgoing::Kind::kClose}};
  queue.AddWanted(outbox);
  EXPECT_THAT(Sent(queue, 0), ElementsAre("p", "e"));
  queue.OnAnswer({.key = "p"}, 0);
  queue.AddWanted(outbox);
  EXPECT_THAT(Sent(queue, 0), IsEmpty());
}

TEST(CommandQueueTest, WhatCannotBeTakenIsTriedAgainInOrder) {
  CommandQueue queue;
  queue.Add({.type = relay::FrameType::kWrite, .key = "a"});
  EXPECT_THAT(Sent(queue, 0), ElementsAre("a"));
  queue.OnAnswer({.key = "a", .code = relay::ReplyCode::kExhausted}, 0);
  queue.Add({.type = relay::FrameType::kWrite, .key = "b"});
  queue.Add({.type = relay::FrameType::kStop, .key = "stop"});
  // A stop waits for nobody.
  EXPECT_THAT(Sent(queue, 1), ElementsAre("stop"));
  EXPECT_GT(queue.wake_at(), 0);
  EXPECT_THAT(Sent(queue, kSecond), ElementsAre("a", "b"));
  EXPECT_EQ(queue.wake_at(), 0);
}

TEST(CommandQueueTest, TurnsOutliveTheProcess) {
  CommandQueue queue;
  queue.Add({.key = "turn-2", .is_turn = true});
  queue.Add({.type = relay::FrameType::kStop, .key = "stop"});
  Sent(queue, 0);
  queue.OnAnswer({.key = "turn-2", .code = relay::ReplyCode::kEnded}, 0);
  EXPECT_THAT(Sent(queue, kSecond), IsEmpty());
  EXPECT_TRUE(queue.HasTurns());
  EXPECT_THAT(queue.Reset(), SizeIs(1));
  EXPECT_FALSE(queue.HasTurns());
  queue.Add({.key = "stop"});
  EXPECT_THAT(Sent(queue, 0), ElementsAre("stop"));
}

}  // namespace
}  // namespace troika
