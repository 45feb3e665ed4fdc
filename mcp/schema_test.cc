#include "mcp/schema.h"

#include <string>
#include <vector>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mcp/elicitation.h"
#include "mcp/tool.h"

namespace troika::mcp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<Field>& Fields() {
  static const auto* const kFields = new std::vector<Field>{
      {.name = "prompt",
       .description = "What to do",
       .need = Field::Need::kRequired,
       .max_bytes = 10},
      {.name = "mode", .description = "A choice", .values = {"a", "b"}},
      {.name = "limit",
       .type = Field::Type::kInteger,
       .description = "How many",
       .default_json = "5",
       .min = 1,
       .max = 9},
      {.name = "flag",
       .type = Field::Type::kBoolean,
       .description = "Whether",
       .default_json = "false"},
      {.name = "paths",
       .type = Field::Type::kStrings,
       .description = "Which",
       .max = 2},
      {.name = "config",
       .type = Field::Type::kObject,
       .description = "Settings"}};
  return *kFields;
}

absl::StatusOr<Arguments> Read(absl::string_view text) {
  json::Parser parser;
  const std::string kept(text);
  return Arguments::Read(Fields(), *parser.Parse(kept));
}

TEST(ArgumentsTest, HaveDefaultsAndWhatWasGiven) {
  const auto few = Read(R"({"prompt":"go","mode":null})");
  ASSERT_TRUE(few.ok()) << few.status();
  EXPECT_EQ(few->String("prompt"), "go");
  EXPECT_EQ(few->Int("limit"), 5);
  EXPECT_FALSE(few->Has("limit"));
  EXPECT_FALSE(few->Has("mode"));
  EXPECT_EQ(few->String("mode"), "");
  const auto all = Read(R"({"prompt":"go","mode":"b","limit":9,"flag":true,)"
                        R"("paths":["x","y"],"config":{"a":{"b":1}}})");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->String("mode"), "b");
  EXPECT_EQ(all->Int("limit"), 9);
  EXPECT_TRUE(all->Bool("flag"));
  EXPECT_THAT(all->Strings("paths"), ElementsAre("x", "y"));
  EXPECT_EQ(all->Object("config"), R"({"a":{"b":1}})");
}

TEST(ArgumentsTest, ErrorsNameTheField) {
  const struct {
    absl::string_view arguments;
    absl::string_view error;
  } kCases[] = {
      {"{}", "prompt: is required"},
      {R"({"prompt":null})", "prompt: is required"},
      {R"({"prompt":""})", "prompt: must not be empty"},
      {R"({"prompt":3})", "prompt: must be a string"},
      {R"({"prompt":"12345678901"})", "prompt: must have at most 10 bytes"},
      {R"({"prompt":"a\u0000b"})", "prompt: must have no NUL character"},
      {R"({"prompt":"x","mode":"c"})", "mode: must be one of a, b"},
      {R"({"prompt":"x","mode":""})", "mode: must be one of a, b"},
      {R"({"prompt":"x","limit":0})", "limit: must be an integer from 1 to 9"},
      {R"({"prompt":"x","limit":1.5})", "limit: must be an integer"},
      {R"({"prompt":"x","limit":"3"})", "limit: must be an integer"},
      {R"({"prompt":"x","flag":"true"})", "flag: must be true or false"},
      {R"({"prompt":"x","paths":"a"})", "paths: must be an array of strings"},
      {R"({"prompt":"x","paths":[1]})", "paths: must be an array of strings"},
      {R"({"prompt":"x","paths":["a","b","c"]})",
       "paths: must have at most 2 entries"},
      {R"({"prompt":"x","config":[]})", "config: must be an object"},
      {R"({"prompt":"x","promt":"y"})", "promt: there is no such field"},
      {"[]", "arguments: must be an object"},
  };
  for (const auto& test : kCases) {
    EXPECT_THAT(std::string(Read(test.arguments).status().message()),
                StartsWith(std::string(test.error)))
        << test.arguments;
  }
}

TEST(InputSchemaTest, DescribesTheFields) {
  const std::string schema = InputSchema(Fields());
  json::Parser parser;
  const auto value = parser.Parse(schema);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->Get("type").StringOr(""), "object");
  EXPECT_EQ(value->Get("required").ToJson(), R"(["prompt"])");
  EXPECT_EQ(value->Get("additionalProperties").Bool(), false);
  const json::Value limit = value->Get("properties").Get("limit");
  EXPECT_EQ(limit.ToJson(), R"({"type":"integer","minimum":1,"maximum":9,)"
                            R"("description":"How many","default":5})");
}

TEST(CutForJsonTest, CountsEscapes) {
  EXPECT_EQ(CutForJson("abc", 5), "abc");
  EXPECT_EQ(CutForJson("abc", 4), "ab");
  EXPECT_EQ(CutForJson("\n\n\n", 6), "\n\n");
  EXPECT_EQ(CutForJson("\x01\x01", 10), "\x01");
  EXPECT_EQ(CutForJson("a\xc3\xa9", 4), "a");
}

Form AForm() {
  return {
      .message = "Which?",
      .fields = {
          {.name = "decision",
           .type = FormField::Type::kChoice,
           .title = "Decision",
           .choices = {"approve", "deny"},
           .required = true},
          {.name = "reason", .title = "Reason"},
          {.name = "all", .type = FormField::Type::kBoolean, .title = "All"}}};
}

absl::StatusOr<FormReply> Reply(absl::string_view text) {
  json::Parser parser;
  const std::string kept(text);
  return ReadFormReply(AForm(), *parser.Parse(kept));
}

TEST(FormTest, RepliesAreChecked) {
  const auto good = Reply(
      R"({"action":"accept","content":{"decision":"deny","reason":"no","all":true}})");
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->action, FormReply::Action::kAccept);
  EXPECT_EQ(good->Get("decision"), "deny");
  EXPECT_EQ(good->Get("all"), "true");
  EXPECT_EQ(Reply(R"({"action":"decline"})")->action,
            FormReply::Action::kDecline);
  EXPECT_EQ(Reply(R"({"action":"cancel"})")->action,
            FormReply::Action::kCancel);
  for (const absl::string_view bad :
       {// Codex CLI 0.166 sends this for forms that it can't show.
        R"({"action":"accept","content":{}})", R"({"action":"accept"})",
        R"({"action":"accept","content":{"decision":"maybe"}})",
        R"({"action":"accept","content":{"decision":true}})",
        R"({"action":"accept","content":{"decision":"deny","all":"yes"}})",
        R"({"action":"perhaps"})", "{}", "null", "[]"}) {
    EXPECT_FALSE(Reply(bad).ok()) << bad;
  }
}

TEST(FormTest, IsSentInBothWays) {
  const std::string schema =
      R"({"type":"object","properties":{)"
      R"("decision":{"type":"string","title":"Decision","enum":["approve","deny"]},)"
      R"("reason":{"type":"string","title":"Reason"},)"
      R"("all":{"type":"boolean","title":"All"}},"required":["decision"]})";
  EXPECT_EQ(FormRequestLine(rpc::Id::FromString("f"), AForm()),
            absl::StrCat(R"({"jsonrpc":"2.0","id":"f",)"
                         R"("method":"elicitation/create","params":)"
                         R"({"message":"Which?","requestedSchema":)",
                         schema, "}}\n"));
  EXPECT_THAT(InputRequiredResult("answer", AForm(), "state"),
              HasSubstr(R"("resultType":"input_required","inputRequests":)"
                        R"({"answer":{"method":"elicitation/create")"));
}

TEST(CallResultTest, SaysTheSameAsTextAndAsObject) {
  const ToolResult result = {.object_json = R"({"a":1})"};
  EXPECT_EQ(CallResult(Client(), result),
            R"({"content":[{"type":"text","text":"{\"a\":1}"}],)"
            R"("structuredContent":{"a":1},"isError":false})");
  EXPECT_EQ(CallResult({.generation = Generation::kStateless},
                       ToolResult::Error("no")),
            R"({"resultType":"complete","content":[{"type":"text",)"
            R"("text":"no"}],"isError":true})");
}

}  // namespace
}  // namespace troika::mcp
