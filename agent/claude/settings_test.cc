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

}  // namespace
}  // namespace troika::claude
