#include "agent/launch/version.h"

#include <string>

#include "gtest/gtest.h"

namespace troika {
namespace {

TEST(VersionTest, ReadsWhatTheCliSays) {
  const std::string nines(100000, '9');
  const struct {
    absl::string_view said;
    absl::string_view found;
    Version version;
  } kRows[] = {
      {"codex-cli 0.166.0\n", "0.166.0", {0, 166, 0}},
      {"2.1.197 (Claude Code)", "2.1.197", {2, 1, 197}},
      {"0.61.0", "0.61.0", {0, 61, 0}},
      {"v1.2.3", "1.2.3", {1, 2, 3}},
      {"0.42.0-alpha.18 x", "0.42.0-alpha.18", {0, 42, 0}},
      {"0.62.0-nightly.20261116.abc",
       "0.62.0-nightly.20261116.abc",
       {0, 62, 0}},
      {"warning: node 20\n0.61.0\n", "0.61.0", {0, 61, 0}},
      {"", "", kUnknownVersion},
      {"command not found", "", kUnknownVersion},
      {"1.2", "", kUnknownVersion},
      {"1..2.3", "", kUnknownVersion},
      {"99999999999.1.2", "", kUnknownVersion},
      {nines, "", kUnknownVersion},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.said.substr(0, 40));
    EXPECT_EQ(FindVersion(row.said), row.found);
    EXPECT_EQ(ParseVersion(row.said), row.version);
  }
}

TEST(VersionTest, ComparesNumbersAndNotText) {
  EXPECT_LT((Version{0, 63, 0}), (Version{0, 166, 0}));
  EXPECT_LT((Version{1, 0, 109}), (Version{2, 0, 0}));
  EXPECT_LT((Version{2, 1, 36}), (Version{2, 1, 197}));
  EXPECT_LT((Version{999, 999, 999}), kUnknownVersion);
  EXPECT_EQ(VersionText({0, 166, 0}), "0.166.0");
}

}  // namespace
}  // namespace troika
