#include "agent/claude/settings.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace troika::claude {
namespace {

std::string Json(const std::vector<std::string>& config) {
  const absl::StatusOr<std::string> json = SettingsJson(config);
  return json.ok() ? *json : std::string(json.status().message());
}

TEST(ClaudeSettingsTest, DotsLeadIntoObjects) {
  EXPECT_EQ(Json({}), "{}");
  EXPECT_EQ(Json({"env.A=b", "cleanupPeriodDays=7", "env.B=c=d"}),
            R"({"cleanupPeriodDays":7,"env":{"A":"b","B":"c=d"}})");
}

TEST(ClaudeSettingsTest, ValuesAreJsonOrStrings) {
  EXPECT_EQ(Json({"a=true", "b=\"true\"", "c=[\"Bash(ls)\"]", "d=", "e={"}),
            R"j({"a":true,"b":"true","c":["Bash(ls)"],"d":"","e":"{"})j");
}

TEST(ClaudeSettingsTest, WhatDoesNotFit) {
  EXPECT_EQ(Json({"a.b=1", "a=2"}), "\"a=2\" sets again what another one does");
  EXPECT_EQ(Json({"a=1", "a.b=2"}),
            "\"a.b=2\" sets again what another one does");
  EXPECT_EQ(Json({"a=1", "a=1"}), "\"a=1\" sets again what another one does");
  EXPECT_EQ(Json({"a..b=1"}), "\"a..b=1\" is not key=value");
  EXPECT_EQ(Json({"a"}), "\"a\" is not key=value");
  std::string deep(100000, '.');
  for (size_t i = 0; i < deep.size(); i += 2) deep[i] = 'a';
  EXPECT_FALSE(SettingsJson({deep + "b=1"}).ok());
}

std::string Merged(absl::string_view of_mode, absl::string_view config) {
  const absl::StatusOr<std::string> json = MergeSettings(of_mode, config);
  return json.ok() ? *json : std::string(json.status().message());
}

TEST(ClaudeSettingsTest, SettingsOfAnEditModeAreMerged) {
  constexpr absl::string_view kAsk = R"({"permissions":{"ask":["Bash"]}})";
  EXPECT_EQ(Merged(kAsk, "{}"), kAsk);
  EXPECT_EQ(Merged(kAsk, R"({"permissions":{"allow":["Bash"]},"model":"a"})"),
            R"({"permissions":{"ask":["Bash"],"allow":["Bash"]},"model":"a"})");
}

TEST(ClaudeSettingsTest, SettingsOfAnEditModeCantBeReplaced) {
  constexpr absl::string_view kAsk = R"({"permissions":{"ask":["Bash"]}})";
  constexpr absl::string_view kError =
      "permissions.ask is set by the edit mode; leave it out";
  EXPECT_EQ(Merged(kAsk, R"({"permissions":{"ask":[]}})"), kError);
  EXPECT_EQ(Merged(kAsk, R"({"permissions":{"\u0061sk":[]}})"), kError);
  EXPECT_EQ(Merged(kAsk, R"({"permissions":{"ask":["Bash"],"ask":[]}})"),
            kError);
  EXPECT_EQ(Merged(kAsk, R"({"permissions":null})"),
            "permissions is set by the edit mode; leave it out");
}

}  // namespace
}  // namespace troika::claude
