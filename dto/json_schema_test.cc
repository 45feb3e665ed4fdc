#include "dto/json_schema.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "dto/troika.pb.h"
#include "google/protobuf/descriptor.pb.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

class JsonSchemaTest : public ::testing::Test {
 protected:
  JsonSchemaTest()
      : text_(JsonSchemas(
            {v1::CreateTaskRequest::descriptor(), v1::Event::descriptor()})) {
    const absl::StatusOr<json::Value> all = parser_.Parse(text_);
    EXPECT_TRUE(all.ok()) << all.status() << text_;
    if (all.ok()) all_ = *all;
  }

  std::string Field(absl::string_view type, absl::string_view field) {
    return all_.Get(type).Get("properties").Get(field).ToJson();
  }

  const std::string text_;
  json::Parser parser_;
  json::Value all_;
};

TEST_F(JsonSchemaTest, FieldsAreAsJsonHasThem) {
  EXPECT_EQ(Field("CreateTaskRequest", "prompt"), R"({"type":"string"})");
  EXPECT_EQ(Field("CreateTaskRequest", "idempotencyKey"),
            R"({"type":"string"})");
  EXPECT_EQ(Field("CreateTaskRequest", "labels"),
            R"({"type":"object","additionalProperties":{"type":"string"}})");
  EXPECT_EQ(Field("CreateTaskRequest", "options"),
            R"({"$ref":"#/components/schemas/LaunchOptions"})");
  EXPECT_EQ(Field("LaunchOptions", "images"),
            R"({"type":"array","items":{"type":"string"}})");
  EXPECT_EQ(Field("LaunchOptions", "editMode"),
            R"({"type":"string","enum":["research","auto_edit","full_auto",)"
            R"("dangerous","ask","native"]})");
  EXPECT_EQ(Field("LaunchOptions", "webSearch"), R"({"type":"boolean"})");
  EXPECT_EQ(Field("Timeouts", "idle"),
            R"({"type":"string","pattern":"^-?[0-9]+(\\.[0-9]{1,9})?s$"})");
  EXPECT_EQ(Field("Event", "time"),
            R"({"type":"string","format":"date-time"})");
  EXPECT_EQ(Field("ToolUse", "input"), "{}");
  EXPECT_EQ(Field("ToolResult", "exitCode"),
            R"({"type":"integer","format":"int32"})");
  EXPECT_EQ(Field("Raw", "offset"), R"({"type":"string","format":"int64"})");
  EXPECT_EQ(Field("RateLimit", "used"),
            R"({"type":["number","string"],"format":"double"})");
  EXPECT_EQ(
      Field("Todo", "items"),
      R"({"type":"array","items":{"$ref":"#/components/schemas/Todo.Item"}})");
  EXPECT_EQ(Field("Event", "toolUse"),
            R"({"$ref":"#/components/schemas/ToolUse"})");
}

// The schema's references, wherever they stand.
void CheckReferences(json::Value value, json::Value all, int* count) {
  for (const json::Value item : value.items()) {
    CheckReferences(item, all, count);
  }
  for (const json::Member& member : value.members()) {
    absl::string_view to = member.value.StringOr("");
    if (member.key == "$ref" &&
        absl::ConsumePrefix(&to, "#/components/schemas/")) {
      EXPECT_TRUE(all.Get(to).IsObject()) << to;
      ++*count;
    }
    CheckReferences(member.value, all, count);
  }
}

TEST_F(JsonSchemaTest, EveryReferenceHasItsSchema) {
  int references = 0;
  CheckReferences(all_, all_, &references);
  EXPECT_GT(references, 25);
  EXPECT_FALSE(all_.Get("Task").exists());  // Nothing holds one.
  EXPECT_FALSE(absl::StrContains(text_, "google"));
}

TEST_F(JsonSchemaTest, AMessageHasAllItsFields) {
  const auto& type = *v1::Event::descriptor();
  EXPECT_EQ(all_.Get("Event").Get("properties").size(),
            static_cast<size_t>(type.field_count()));
}

TEST(JsonSchemasTest, AMessageMayHoldItself) {
  const std::string schemas =
      JsonSchemas({google::protobuf::DescriptorProto::descriptor()});
  json::Parser parser;
  const auto all = parser.Parse(schemas);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_TRUE(all->Get("DescriptorProto").Get("properties").IsObject());
}

}  // namespace
}  // namespace troika
