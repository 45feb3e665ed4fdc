#include "agent/launch/launch.h"

#include <string>

#include "base/json_fields.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

LaunchOptions Everything() {
  return {.model = "m \"1\"\n",
          .edit_mode = EditMode::kFullAuto,
          .approval_policy = "never",
          .sandbox = "read-only",
          .dangerously_bypass = true,
          .images = {"a.png", "b c.png"},
          .config = {"k=v"},
          .profile = "p",
          .output_schema = "s.json",
          .skip_git_check = true,
          .extra_dirs = {"/x"},
          .effort = "high",
          .verbosity = "low",
          .web_search = false,
          .ephemeral = true,
          .base_instructions = "i.md",
          .plan_tool = true,
          .local_provider = "ollama",
          .last_message_file = "last",
          .wire = Wire::kAppServer,
          .interactive = true,
          .acp_command = {"agent", "--acp"}};
}

absl::StatusOr<LaunchOptions> Read(absl::string_view text) {
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(text);
  if (!value.ok()) return value.status();
  return LaunchOptionsFromJson(*value);
}

TEST(LaunchOptionsTest, OnlyWhatIsSetIsWritten) {
  EXPECT_EQ(json::ToJson(LaunchOptions{}), "{}");
  EXPECT_EQ(json::ToJson(LaunchOptions{.model = "m",
                                       .edit_mode = EditMode::kAutoEdit,
                                       .images = {"a", "b"},
                                       .web_search = false}),
            R"({"model":"m","edit_mode":"auto_edit","images":["a","b"],)"
            R"("web_search":false})");
}

TEST(LaunchOptionsTest, EveryFieldIsInTheTable) {
  const LaunchOptions everything = Everything();
  ForEachField<LaunchOptions>([&](const auto& field) {
    EXPECT_FALSE(IsDefault(field.Of(everything))) << field.name;
  });
}

TEST(LaunchOptionsTest, ComesBackAsItWas) {
  for (const LaunchOptions& options : {LaunchOptions{}, Everything()}) {
    const std::string text = json::ToJson(options);
    const absl::StatusOr<LaunchOptions> read = Read(text);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, options) << text;
  }
}

TEST(LaunchOptionsTest, UnknownFieldsAndNullArePassedOver) {
  const absl::StatusOr<LaunchOptions> read =
      Read(R"({"later":{"a":1},"model":"m","sandbox":null})");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, (LaunchOptions{.model = "m"}));
}

TEST(LaunchOptionsTest, NothingIsGuessed) {
  const struct {
    absl::string_view text;
    absl::string_view error;
  } kRows[] = {
      {"[]", "read launch options: must be an object, not array"},
      {R"({"edit_mode":"yolo"})",
       "read launch options: edit_mode must be research, auto_edit, full_auto, "
       "dangerous, ask or native"},
      {R"({"edit_mode":1})",
       "read launch options: edit_mode must be research, auto_edit, full_auto, "
       "dangerous, ask or native"},
      {R"({"model":["m"]})", "read launch options: model must be a string"},
      {R"({"dangerously_bypass":"yes"})",
       "read launch options: dangerously_bypass must be true or false"},
      {R"({"plan_tool":0})",
       "read launch options: plan_tool must be true or false"},
      {R"({"images":"a.png"})",
       "read launch options: images must be an array of strings"},
      {R"({"config":["a=1",2]})",
       "read launch options: config must be an array of strings"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(Read(row.text).status(), absl::InvalidArgumentError(row.error));
  }
}

}  // namespace
}  // namespace troika
