// Tests partial messages.

#include "absl/strings/str_cat.h"
#include "agent/claude/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::claude {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Event(absl::string_view fields, absl::string_view parent = "") {
  return absl::StrCat(
      R"({"type":"stream_event","event":{"type":)", fields,
      R"(},"parent_tool_use_id":)",
      parent.empty() ? "null" : absl::StrCat("\"", parent, "\""), "}");
}

std::string Start(absl::string_view id, absl::string_view parent = "") {
  return Event(absl::StrCat(R"("message_start","message":{"id":")", id, "\"}"),
               parent);
}

std::string Block(int index, absl::string_view type,
                  absl::string_view parent = "") {
  return Event(absl::StrCat(R"("content_block_start","index":)", index,
                            R"(,"content_block":{"type":")", type, R"("})"),
               parent);
}

std::string Delta(int index, absl::string_view kind, absl::string_view text,
                  absl::string_view parent = "") {
  return Event(absl::StrCat(R"("content_block_delta","index":)", index,
                            R"(,"delta":{"type":")", kind, R"(_delta",")", kind,
                            R"(":")", text, R"("})"),
               parent);
}

std::string Whole(absl::string_view id, absl::string_view kind,
                  absl::string_view text, absl::string_view parent = "") {
  return absl::StrCat(
      R"({"type":"assistant","message":{"id":")", id,
      R"(","content":[{"type":")", kind, R"(",")", kind, R"(":")", text,
      R"("}]},"parent_tool_use_id":)",
      parent.empty() ? "null" : absl::StrCat("\"", parent, "\""), "}");
}

std::vector<std::string> BlockIds(const Conversation& c) {
  std::vector<std::string> ids;
  for (const Message& m : c.messages()) ids.push_back(m.block_id);
  return ids;
}

TEST(ClaudeStreamEventsTest, DeltasAndMessageShareTheirBlockId) {
  Conversation c;
  c.Receive(Start("m")).Receive(Block(0, "thinking"));
  c.Receive(Delta(0, "thinking", "a")).Receive(Whole("m", "thinking", "a"));
  c.Receive(Block(1, "text")).Receive(Delta(1, "text", "b"));
  c.Receive(Delta(1, "text", "c")).Receive(Whole("m", "text", "bc"));
  c.Receive(Block(2, "text")).Receive(Delta(2, "text", "d"));
  c.Receive(Whole("m", "text", "d"));
  EXPECT_THAT(BlockIds(c), ElementsAre("m.0@2", "m.0@2", "m.1@5", "m.1@5",
                                       "m.1@5", "m.2@9", "m.2@9"));
  EXPECT_THAT(c.All<TextDelta>(), SizeIs(3));
  EXPECT_THAT(c.All<Text>(), SizeIs(2));
}

TEST(ClaudeStreamEventsTest, ParallelAgentsDoNotMix) {
  Conversation c;
  c.Receive(Start("m", "p1")).Receive(Start("m", "p2"));
  c.Receive(Block(0, "text", "p1")).Receive(Block(0, "text", "p2"));
  c.Receive(Delta(0, "text", "1", "p1")).Receive(Delta(0, "text", "2", "p2"));
  c.Receive(Whole("m", "text", "2", "p2"));
  c.Receive(Whole("m", "text", "1", "p1"));
  EXPECT_THAT(BlockIds(c), ElementsAre("m.0@3", "m.0@4", "m.0@4", "m.0@3"));
  EXPECT_EQ(c.messages()[0].parent_tool_use_id, "p1");
  EXPECT_EQ(c.messages()[1].parent_tool_use_id, "p2");
}

TEST(ClaudeStreamEventsTest, RepeatedMessageIdsDoNotCollide) {
  Conversation c;
  for (int i = 0; i < 2; ++i) {
    c.Receive(Start("m")).Receive(Block(0, "text"));
    c.Receive(Delta(0, "text", "a")).Receive(Whole("m", "text", "a"));
  }
  EXPECT_THAT(BlockIds(c), ElementsAre("m.0@2", "m.0@2", "m.0@6", "m.0@6"));
}

TEST(ClaudeStreamEventsTest, OtherMessagesHaveNoBlockId) {
  Conversation c;
  c.Receive(Start("m")).Receive(Block(0, "text"));
  c.Receive(Delta(0, "text", "cut o"));
  c.Receive(Whole("synthetic", "text", "API Error"));
  c.Receive(Whole("m", "text", "cut o")).Receive(Whole("m", "text", "twice"));
  EXPECT_THAT(BlockIds(c), ElementsAre("m.0@2", "", "m.0@2", ""));
}

TEST(ClaudeStreamEventsTest, AStartThatWasNotSeen) {
  Conversation c;
  c.Receive(Delta(0, "text", "a")).Receive(Delta(0, "text", "b"));
  c.Receive(Whole("m", "text", "ab"));
  EXPECT_THAT(BlockIds(c), ElementsAre(".0@1", ".0@1", ".0@1"));
}

TEST(ClaudeStreamEventsTest, MemoryIsBounded) {
  Conversation c;
  for (int i = 0; i < 1000; ++i) {
    c.Receive(Block(i, "text"));
    c.Receive(Block(0, "text", absl::StrCat("p", i)));
  }
  c.Receive(Whole("m", "text", "x"));
  EXPECT_THAT(c.All<Text>(), SizeIs(1));
}

TEST(ClaudeStreamEventsTest, ABlockMayStartWithText) {
  Conversation c;
  c.Receive(Event(R"("content_block_start","index":0,)"
                  R"("content_block":{"type":"text","text":"a"})"));
  c.Receive(Event(R"("content_block_start","index":1,)"
                  R"("content_block":{"type":"thinking","thinking":"b"})"));
  EXPECT_EQ(c.All<TextDelta>()[0].text, "a");
  EXPECT_EQ(c.All<ThinkingDelta>()[0].text, "b");
}

TEST(ClaudeStreamEventsTest, FramesGiveNothing) {
  Conversation c;
  c.Receive(Event(R"("ping")")).Receive(Event(R"("message_stop")"));
  c.Receive(Event(R"("content_block_stop","index":0)"));
  c.Receive(Event(
      R"("message_delta","delta":{"stop_reason":"end_turn"},"usage":{})"));
  for (const absl::string_view delta :
       {R"({"type":"input_json_delta","partial_json":"{"})",
        R"({"type":"signature_delta","signature":"x"})",
        R"({"type":"citations_delta","citation":{}})"}) {
    c.Receive(Event(
        absl::StrCat(R"("content_block_delta","index":0,"delta":)", delta)));
  }
  EXPECT_THAT(c.messages(), IsEmpty());
  EXPECT_THAT(c.DriftSeen(), IsEmpty());
}

TEST(ClaudeStreamEventsTest, ErrorsAreNotices) {
  Conversation c;
  c.Receive(Event(
      R"("error","error":{"type":"overloaded_error","message":"Overloaded"})"));
  ASSERT_THAT(c.All<Notice>(), SizeIs(1));
  EXPECT_EQ(c.All<Notice>()[0].kind, Notice::Kind::kError);
  EXPECT_EQ(c.All<Notice>()[0].text, "Overloaded");
}

}  // namespace
}  // namespace troika::claude
