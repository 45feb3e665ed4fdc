#include <string>

#include "agent/claude/test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::claude {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

void Tell(const Note& note, ClaudeProtocol& protocol) {
  protocol.OnNote({.number = 1}, note, [](Message&&) {});
}

TEST(WantedTest, PromptIsWantedUntilItIsSeenWritten) {
  ClaudeProtocol protocol({});
  Tell(TurnAsked{.turn = 3,
                 .prompt = "say \"hi\"\n",
                 .images = {{.media_type = "image/png", .base64 = "AAAA"}}},
       protocol);
  ASSERT_THAT(protocol.outbox(), SizeIs(1));
  const Outgoing wanted = protocol.outbox()[0];
  EXPECT_EQ(wanted.key, "turn-3.prompt");
  EXPECT_EQ(wanted.bytes,
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":["
            "{\"type\":\"text\",\"text\":\"say \\\"hi\\\"\\n\"},"
            "{\"type\":\"image\",\"source\":{\"type\":\"base64\","
            "\"media_type\":\"image/png\",\"data\":\"AAAA\"}}]},"
            "\"parent_tool_use_id\":null,\"session_id\":\"\"}\n");

  std::vector<Message> messages;
  Record record = RecordOf(wanted.bytes, 2);
  record.key = wanted.key;
  protocol.OnWritten(record,
                     [&](Message&& m) { messages.push_back(std::move(m)); });
  EXPECT_THAT(protocol.outbox(), IsEmpty());
  const auto inputs = Payloads<UserInput>(messages);
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(inputs[0].text, "say \"hi\"\n");
  EXPECT_EQ(inputs[0].images, 1);
}

TEST(WantedTest, InterruptsHaveIdsOfTheirOwn) {
  ClaudeProtocol protocol({.continuation = {.generation = 2}});
  Tell(InterruptAsked{}, protocol);
  Tell(InterruptAsked{}, protocol);
  ASSERT_THAT(protocol.outbox(), SizeIs(2));
  EXPECT_EQ(protocol.outbox()[0].bytes,
            "{\"type\":\"control_request\",\"request_id\":\"interrupt-2.1\","
            "\"request\":{\"subtype\":\"interrupt\"}}\n");
  EXPECT_EQ(protocol.outbox()[1].key, "interrupt-2.2");
}

TEST(WantedTest, NothingIsWantedOfWhatCannotHear) {
  ClaudeProtocol protocol({});
  Tell(TurnAsked{.prompt = "a"}, protocol);
  Tell(InputClosed{}, protocol);
  EXPECT_THAT(protocol.outbox(), IsEmpty());
}

}  // namespace
}  // namespace troika::claude
