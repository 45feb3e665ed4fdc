// Tests that JSON and protobuf say the same, as dto/troika.proto defines it.
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "dto/json.h"
#include "dto/proto_fields.h"
#include "dto/proto_json.h"
#include "dto/testing.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/field_comparator.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::util::DefaultFieldComparator;
using ::google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;

std::string OurJson(const Message& message) {
  std::string json;
  AppendEventJson(message, "task 7", &json);
  return json;
}

std::string ProtobufJson(const v1::Event& event) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status =
      google::protobuf::util::MessageToJsonString(event, &json, options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return json;
}

// What differs, as a path; empty where nothing does.
std::string Difference(json::Value a, json::Value b) {
  if (a.type() != b.type()) {
    return absl::StrCat(": ", json::TypeName(a.type()), " and ",
                        json::TypeName(b.type()));
  }
  if (a.size() != b.size()) return ": sizes";
  for (const json::Member& member : a.members()) {
    const std::string d = Difference(member.value, b.Get(member.key));
    if (!d.empty()) return absl::StrCat(".", member.key, d);
  }
  for (size_t i = 0; a.IsArray() && i < a.size(); ++i) {
    const std::string d = Difference(a.At(i), b.At(i));
    if (!d.empty()) return absl::StrCat("[", i, "]", d);
  }
  const bool same = a.String() == b.String() && a.Double() == b.Double() &&
                    a.Bool() == b.Bool();
  return same ? "" : absl::StrCat(": ", a.ToJson(), " and ", b.ToJson());
}

// Only an event of which something is cut has a list of it.
std::string WithoutEmptyCut(std::string json) {
  absl::StrReplaceAll({{",\"cut\":[]", ""}}, &json);
  return json;
}

constexpr size_t kMaxTexts[] = {absl::string_view::npos, 300, 5, 1, 0};

std::string CutJson(const Message& message, size_t max_text) {
  std::string json;
  AppendEventJson(message, "task 7", {.max_text = max_text}, &json);
  return json;
}

v1::Event ReadByProtobuf(const std::string& json) {
  v1::Event event;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &event);
  EXPECT_TRUE(status.ok()) << status.ToString() << json;
  return event;
}

void ExpectPrintedAs(const v1::Event& event, const std::string& our_json) {
  json::Parser ours, theirs;
  const std::string their_json = WithoutEmptyCut(ProtobufJson(event));
  const auto a = ours.Parse(our_json);
  const auto b = theirs.Parse(their_json);
  ASSERT_TRUE(a.ok()) << a.status() << our_json;
  ASSERT_TRUE(b.ok()) << b.status() << their_json;
  EXPECT_EQ(Difference(*a, *b), "") << our_json << "\n" << their_json;
  EXPECT_EQ(our_json.find('\n'), std::string::npos);
}

TEST(EncodingsTest, MessagesOfProtobufArePrintedAsByProtobuf) {
  for (const Message& message : SampleMessages()) {
    const v1::Event event = ToEvent(message, "task 7");
    ExpectPrintedAs(event, WithoutEmptyCut(ToJson(event)));
  }
}

TEST(EncodingsTest, CutJsonIsWhatProtobufPrints) {
  for (const Message& message : SampleMessages()) {
    for (const size_t max_text : kMaxTexts) {
      const std::string json = CutJson(message, max_text);
      ExpectPrintedAs(ReadByProtobuf(json), json);
    }
    EXPECT_EQ(CutJson(message, absl::string_view::npos), OurJson(message));
  }
}

TEST(EncodingsTest, WhatIsCutIsNamed) {
  const Message text{.block_id = "a long block",
                     .payload = Text{"gr\u00fc\u00dfe, \U0001F680!"}};
  EXPECT_EQ(
      CutJson(text, 5),
      "{\"id\":\"0.0\",\"taskId\":\"task 7\",\"blockId\":\"a long block\","
      "\"text\":{\"text\":\"gr\u00fc\"},"
      "\"cut\":[{\"field\":\"text\",\"size\":\"14\"}]}");
  EXPECT_EQ(CutJson(text, 14), OurJson(text));
  EXPECT_THAT(CutJson(text, 13), HasSubstr(", \U0001F680\"}"));
  EXPECT_THAT(CutJson(text, 12), HasSubstr(", \"}"));

  const Message use{.payload = ToolUse{.id = "i",
                                       .native_name = "command_execution",
                                       .input_json = R"({"command":"ls"})"}};
  EXPECT_EQ(CutJson(use, 8),
            R"({"id":"0.0","taskId":"task 7","toolUse":{"id":"i","name":"",)"
            R"("nativeName":"command_","server":"","input":"{\"comman"},)"
            R"("cut":[{"field":"nativeName","size":"17"},)"
            R"({"field":"input","size":"16"}]})");
  EXPECT_THAT(CutJson({.payload = Init{.tools = {"a", "bcd"}}}, 2),
              HasSubstr(R"("tools":["a","bc"],"mcpServers":[],"models":[]},)"
                        R"("cut":[{"field":"tools","size":"3"}])"));
}

TEST(EncodingsTest, WhatIsNotUtf8IsCutToo) {
  EXPECT_THAT(CutJson({.payload = Text{std::string(100, '\x80')}}, 10),
              HasSubstr(R"("size":"100")"));
  EXPECT_THAT(CutJson({.payload = Text{"\xFF\xFF\xFF"}}, 1),
              HasSubstr("\"text\":\"\uFFFD\""));
}

TEST(EncodingsTest, JsonIsWhatProtobufPrints) {
  for (const Message& message : SampleMessages()) {
    ExpectPrintedAs(ToEvent(message, "task 7"), OurJson(message));
  }
}

TEST(EncodingsTest, ProtobufReadsTheJsonBack) {
  DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  for (const Message& message : SampleMessages()) {
    const std::string json = OurJson(message);
    const v1::Event read = ReadByProtobuf(json);
    MessageDifferencer differencer;
    differencer.set_field_comparator(&comparator);
    std::string report;
    differencer.ReportDifferencesToString(&report);
    EXPECT_TRUE(differencer.Compare(ToEvent(message, "task 7"), read))
        << report << json;
  }
}

bool IsOurs(const Descriptor& type) {
  return type.file()->package() == "troika.v1";
}

void CollectFields(const Descriptor& type, std::set<std::string>* fields) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    fields->insert(field.full_name());
    const Descriptor* const nested = field.message_type();
    if (nested && IsOurs(*nested)) CollectFields(*nested, fields);
  }
}

void CollectSetFields(const google::protobuf::Message& message,
                      std::set<std::string>* fields) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> set;
  reflection.ListFields(message, &set);
  for (const FieldDescriptor* field : set) {
    fields->insert(field->full_name());
    if (!field->message_type() || !IsOurs(*field->message_type())) continue;
    if (!field->is_repeated()) {
      CollectSetFields(reflection.GetMessage(message, field), fields);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      CollectSetFields(reflection.GetRepeatedMessage(message, field, i),
                       fields);
    }
  }
}

TEST(EncodingsTest, EveryFieldOfTheContractIsWritten) {
  std::set<std::string> all, set;
  CollectFields(*v1::Event::descriptor(), &all);
  for (const Message& message : SampleMessages()) {
    const v1::Event event = ToEvent(message, "task 7");
    EXPECT_EQ(event.GetReflection()->GetUnknownFields(event).field_count(), 0);
    CollectSetFields(event, &set);
    CollectSetFields(ReadByProtobuf(CutJson(message, 5)), &set);
  }
  // Only tasks say which event asked, and whether that has more.
  for (const std::string message : {"Approval", "Question"}) {
    all.erase("troika.v1." + message + ".event_id");
    all.erase("troika.v1." + message + ".cut");
  }
  EXPECT_EQ(set, all);
}

TEST(EncodingsTest, WhatIsNotUtf8IsNeverEmpty) {
  for (const std::string bytes : {"\xFF", "a\xC3", "\x80\x80"}) {
    const std::string valid = json::ToValidUtf8(bytes);
    const Message message{.block_id = bytes, .payload = Text{bytes}};
    const v1::Event event = ToEvent(message, bytes);
    EXPECT_EQ(event.text().text(), valid);
    EXPECT_EQ(event.block_id(), valid);
    EXPECT_EQ(event.task_id(), valid);
    EXPECT_THAT(OurJson(message), HasSubstr(absl::StrCat("\"", valid, "\"")));
  }
}

TEST(EncodingsTest, LastOfDuplicateKeysWins) {
  const v1::Event event = ToEvent(
      {.payload = ToolUse{.input_json = R"({"a":1,"b":0,"a":"two"})"}}, "");
  const auto& fields = event.tool_use().input().struct_value().fields();
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields.at("a").string_value(), "two");
}

TEST(EncodingsTest, NumbersThatNoDoubleHoldsAreStrings) {
  const v1::Event event =
      ToEvent({.payload = ToolUse{.input_json = R"([1e999,1e-999])"}}, "");
  const auto& list = event.tool_use().input().list_value();
  ASSERT_EQ(list.values_size(), 2);
  EXPECT_EQ(list.values(0).string_value(), "1e999");
  EXPECT_EQ(list.values(1).string_value(), "1e-999");
}

// Stock readers of protobuf refuse messages that are nested too deeply, and the
// whole event would be lost to them.
TEST(EncodingsTest, DeepJsonIsTextFromSomeLevelOn) {
  std::string json;
  for (int i = 0; i < json::kMaxDepth / 2; ++i) json += R"({"k":[)";
  for (int i = 0; i < json::kMaxDepth / 2; ++i) json += "]}";
  const v1::Event event = ToEvent({.payload = ToolUse{.input_json = json}}, "");
  const google::protobuf::Value* value = &event.tool_use().input();
  for (int i = 0; i < 15; ++i) {
    value = &value->struct_value().fields().at("k");
    ASSERT_EQ(value->list_value().values_size(), 1);
    value = &value->list_value().values(0);
  }
  EXPECT_EQ(value->string_value(), json.substr(15 * 6, json.size() - 15 * 8));
}

TEST(EncodingsTest, InputThatIsNoJsonIsText) {
  const v1::Event event =
      ToEvent({.payload = ToolUse{.input_json = "{oops"}}, "");
  EXPECT_EQ(event.tool_use().input().string_value(), "{oops");
}

TEST(EncodingsTest, ReadsAsDocumented) {
  const Message message{
      .id = {.record = 3, .index = 1},
      .time = absl::FromUnixMillis(1500),
      .payload = ToolUse{.id = "item_2",
                         .name = "Bash",
                         .native_name = "command_execution",
                         .input_json = R"({"command":"ls"})"}};
  EXPECT_EQ(OurJson(message),
            R"({"id":"3.1","time":"1970-01-01T00:00:01.500Z",)"
            R"("taskId":"task 7","toolUse":{"id":"item_2","name":"Bash",)"
            R"("nativeName":"command_execution","server":"",)"
            R"("input":{"command":"ls"}}})");
}

}  // namespace
}  // namespace troika
