// What a driver asks for, in its odd forms.
#include <signal.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
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
                                         .grace_ms = 100});
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  ASSERT_THAT(Notes(log, "why"), SizeIs(1));
  EXPECT_EQ(log.records[noted.record - 1].key, "b");
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

}  // namespace
}  // namespace troika::relay
