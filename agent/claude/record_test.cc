// Tests additions to the wire and errors in it: fields, types, wrong values.

#include "agent/claude/record.h"

#include <filesystem>
#include <set>

#include "absl/strings/match.h"
#include "agent/claude/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika::claude {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

using Lines = std::vector<std::string>;

Lines ReadLines(const std::filesystem::path& path) {
  return absl::StrSplit(ReadWhole(path), '\n', absl::SkipEmpty());
}

Lines EveryEvent() { return ReadLines("testdata/claude/every_event.jsonl"); }

// Returns the parts of the messages that an unknown field must not change.
std::vector<std::string> Outline(const Conversation& c) {
  std::vector<std::string> outline;
  for (const Message& m : c.messages()) {
    outline.push_back(absl::StrCat(m.id.record, ".", m.id.index, " ",
                                   m.payload.index(), " ", m.parent_tool_use_id,
                                   " ", m.block_id));
  }
  return outline;
}

TEST(ClaudeRecordTest, UnknownFieldsAtEveryLevelAreReportedAndHarmless) {
  const auto add_field = [](int, json::Value value, std::string* text) {
    if (!value.IsObject()) return;
    text->insert(
        1, value.size() == 0 ? R"("zz":{"a":[1]})" : R"("zz":{"a":[1]},)");
  };
  json::Parser parser;
  Conversation as_it_was, changed;
  for (const std::string& line : EveryEvent()) {
    as_it_was.Receive(line);
    int count = 0;
    changed.Receive(EditWire(*parser.Parse(line), add_field, &count));
  }
  as_it_was.End();
  changed.End();
  EXPECT_EQ(Outline(changed), Outline(as_it_was));
  const auto reported = changed.DriftSeen();
  EXPECT_THAT(reported, Each(EndsWith(".zz")));
  EXPECT_THAT(reported,
              IsSupersetOf({"field assistant.zz",
                            "field assistant.message.zz",
                            "field assistant.message.content.zz",
                            "field assistant.message.usage.zz",
                            "field user.zz",
                            "field user.message.zz",
                            "field user.message.content.zz",
                            "field tool_result.content.zz",
                            "field stream_event.zz",
                            "field stream_event.event.zz",
                            "field stream_event.event.message.zz",
                            "field stream_event.event.content_block.zz",
                            "field stream_event.event.delta.zz",
                            "field stream_event.event.usage.zz",
                            "field stream_event.event.error.zz",
                            "field usage.output_tokens_details.zz",
                            "field result.zz",
                            "field result.usage.zz",
                            "field rate_limit_event.zz",
                            "field rate_limit_event.rate_limit_info.zz",
                            "field control_request.zz",
                            "field control_request.request.zz",
                            "field control_response.zz",
                            "field control_response.response.zz",
                            "field control_cancel_request.zz",
                            "field system/init.zz",
                            "field system/status.zz",
                            "field system/thinking_tokens.zz",
                            "field system/task_started.zz",
                            "field system/task_updated.patch.zz",
                            "field system/task_notification.zz",
                            "field system/api_retry.zz",
                            "field system/api_error.zz",
                            "field system.error.zz",
                            "field system/compact_boundary.zz",
                            "field system.compact_metadata.zz",
                            "field system/permission_denied.zz",
                            "field system/hook_response.zz"}));
}

TEST(ClaudeRecordTest, UnknownTypesAreReportedAndPassedOn) {
  struct Case {
    absl::string_view line, drift, raw_type;
  };
  constexpr Case kCases[] = {
      {R"({"type":"dream"})", "type  type = dream", "dream"},
      {R"({"no":"type"})", "type  type = ", ""},
      {R"({"type":{"a":1}})", "type  type = ", ""},
      {R"({"type":"system","subtype":"dream"})", "type  system = dream",
       "system/dream"},
      {R"({"type":"assistant","message":{"content":[{"type":"dream"}]}})",
       "type  assistant = dream", "assistant/dream"},
      {R"({"type":"user","message":{"content":[{"type":"dream"}]}})",
       "type  user = dream", "user/dream"},
      {R"({"type":"stream_event","event":{"type":"dream"}})",
       "type  stream_event = dream", "stream_event/dream"},
      {R"({"type":"stream_event","event":{"type":"content_block_delta",)"
       R"("index":0,"delta":{"type":"dream_delta"}}})",
       "type  stream_event.delta = dream_delta",
       "stream_event.delta/dream_delta"},
      {R"({"type":"control_request","request":{"subtype":"dream"}})",
       "type  control_request = dream", "control_request/dream"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.line);
    Conversation c;
    c.Receive(test.line);
    EXPECT_THAT(c.DriftSeen(), ElementsAre(test.drift));
    const auto raws = c.All<Raw>();
    ASSERT_THAT(raws, SizeIs(1));
    EXPECT_EQ(raws[0].type, test.raw_type);
    EXPECT_EQ(raws[0].line, test.line);
  }
}

TEST(ClaudeRecordTest, KnownBlocksBesideAnUnknownOneStay) {
  Conversation c;
  c.Receive(R"({"type":"assistant","message":{"content":[{"type":"dream"},)"
            R"({"type":"text","text":"a"},{"type":"dream"},7,null,"x"]}})");
  EXPECT_THAT(c.All<Text>(), SizeIs(1));
  EXPECT_THAT(c.All<Raw>(), SizeIs(1)) << "the line once";
}

// Describes keys and kinds of values, so that each shape is tested only once.
std::string Shape(json::Value value) {
  std::string shape(json::TypeName(value.type()));
  for (const json::Member& member : value.members()) {
    absl::StrAppend(&shape, " ", member.key, "=", Shape(member.value), ";");
    if (member.key == "type" || member.key == "subtype") {
      absl::StrAppend(&shape, member.value.StringOr(""));
    }
  }
  int index = 0;
  for (const json::Value item : value.items()) {
    if (index++ < 3) absl::StrAppend(&shape, ",", Shape(item));
  }
  return shape;
}

// Tries all changes of one line, each in its place in the stream.
void ExpectSurvives(const Lines& lines, size_t at) {
  constexpr absl::string_view kWrong[] = {
      "null", "-1",   "1e400", R"("x")",
      "[]",   "true", "{}",    R"([{"type":"text"}])"};
  Conversation c;
  for (size_t i = 0; i < at; ++i) c.Receive(lines[i]);
  json::Parser parser;
  const json::Value line = *parser.Parse(lines[at]);
  int values = 1;
  for (int changed = 0; changed < values; ++changed) {
    for (const absl::string_view wrong : kWrong) {
      values = 0;
      c.Receive(EditWire(
          line,
          [&](int nth, json::Value, std::string* text) {
            if (nth == changed) *text = std::string(wrong);
          },
          &values));
    }
  }
  for (size_t i = at; i < lines.size(); ++i) c.Receive(lines[i]);
  c.End();
  EXPECT_EQ(BrokenRules(c.messages()), "") << lines[at];
  EXPECT_FALSE(c.DriftSeen().empty()) << lines[at];
}

TEST(ClaudeRecordTest, WrongTypesInEveryFieldBreakNoRule) {
  json::Parser parser;
  std::set<std::string> shapes;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator("testdata/claude")) {
    if (entry.path().extension() != ".jsonl" ||
        absl::EndsWith(entry.path().string(), ".transcript.jsonl")) {
      continue;
    }
    const Lines lines = ReadLines(entry.path());
    for (size_t i = 0; i < lines.size(); ++i) {
      const bool is_new = shapes.insert(Shape(*parser.Parse(lines[i]))).second;
      if (is_new) ExpectSurvives(lines, i);
    }
  }
  EXPECT_GT(shapes.size(), 100u);
}

}  // namespace
}  // namespace troika::claude
