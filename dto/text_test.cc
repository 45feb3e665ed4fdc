#include "dto/text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dto/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

std::string TextOf(Payload payload) {
  return EventText(
      {.id = {.record = 3, .index = 1}, .payload = std::move(payload)});
}

TEST(TextTest, LeavesOutDefaults) {
  EXPECT_EQ(TextOf(Text{}), "3.1 text");
  EXPECT_EQ(TextOf(Result{}), "3.1 result");
  EXPECT_EQ(
      TextOf(ToolUse{
          .id = "item_2", .name = "Bash", .input_json = R"({"command":"ls"})"}),
      R"(3.1 toolUse id=item_2 name=Bash input={"command":"ls"})");
  EXPECT_EQ(TextOf(ToolResult{.is_error = true, .exit_code = 0}),
            "3.1 toolResult isError=true exitCode=0");
}

TEST(TextTest, NestedAndRepeated) {
  EXPECT_EQ(
      TextOf(Todo{.items = {{.text = "a b"},
                            {.text = "c", .status = Todo::Status::kCompleted},
                            {}}}),
      R"(3.1 todo items=[{text="a b"},{text=c status=completed},{}])");
  EXPECT_EQ(TextOf(Init{.tools = {"Bash", "", "a,b"}}),
            R"(3.1 init tools=[Bash,"","a,b"])");
  EXPECT_EQ(TextOf(Usage{
                .turn = TokenCounts{.input = 5, .output = 7},
                .turn_cost = {.usd = 0.25, .source = CostSource::kReported}}),
            "3.1 usage turn={inputTokens=5 outputTokens=7} costUsd=0.25 "
            "costSource=reported");
}

TEST(TextTest, TellsAnUnknownTurnFromAnEmptyOne) {
  EXPECT_EQ(TextOf(Usage{.turn = TokenCounts{}}), "3.1 usage turn={}");
  EXPECT_EQ(TextOf(Usage{}), "3.1 usage");
}

TEST(TextTest, ShowsWhereItBelongs) {
  EXPECT_EQ(EventText({.id = {.record = 2},
                       .time = absl::FromUnixSeconds(1),
                       .parent_tool_use_id = "toolu_1",
                       .block_id = "b 1",
                       .payload = TextDelta{"x=y"}}),
            "2.0 textDelta time=1970-01-01T00:00:01Z parent=toolu_1 "
            "block=\"b 1\" text=\"x=y\"");
}

TEST(TextTest, CutsLongStringsBetweenCharacters) {
  const std::string text = TextOf(
      Text{absl::StrCat(std::string(299, 'a'), "é", std::string(100, 'b'))});
  EXPECT_THAT(text,
              StartsWith(absl::StrCat("3.1 text text=", std::string(299, 'a'),
                                      "…<401 bytes, xxh3 ")));
  EXPECT_EQ(text.size(), 14 + 299 + strlen("…<401 bytes, xxh3 >") + 16);
  EXPECT_THAT(TextOf(Text{std::string(300, 'a')}), EndsWith("aaa"));
}

TEST(TextTest, EveryEventIsOneLineOfUtf8) {
  for (const Message& message : SampleMessages()) {
    const std::string text = EventText(message);
    EXPECT_EQ(text.find_first_of("\r\n"), std::string::npos) << text;
    EXPECT_TRUE(json::IsValidUtf8(text)) << text;
  }
}

}  // namespace
}  // namespace troika
