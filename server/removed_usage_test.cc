#include "server/removed_usage.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using Rows = std::vector<TaskStore::UsageRow>;

TaskRow Row(const std::string& id, int created, int64_t output) {
  return {.id = id,
          .harness = "codex",
          .model = "m",
          .created_at = absl::FromUnixSeconds(created),
          .output_tokens = output,
          .cost_usd = 0.5};
}

TEST(RemovedUsageTest, CountsEachTaskOnceAndSurvivesATornLine) {
  const std::string dir = absl::StrCat(::testing::TempDir(), "/removed_usage");
  const auto home = Home::Open(Environment({{"TROIKA_HOME", dir}}));
  ASSERT_TRUE(home.ok()) << home.status();
  const auto usage = [&](int since, int until) {
    Rows rows = {{.harness = "codex", .model = "a", .tasks = 1},
                 {.harness = "codex", .model = "z", .tasks = 1}};
    EXPECT_TRUE(AddRemovedUsage(*home, absl::FromUnixSeconds(since),
                                absl::FromUnixSeconds(until), std::nullopt,
                                &rows)
                    .ok());
    return rows;
  };
  EXPECT_EQ(usage(0, 1000).size(), 2);
  ASSERT_TRUE(KeepUsage(*home, {Row("t1", 10, 3), Row("t2", 20, 4)}).ok());
  // A write that was cut, and the second try of a deletion.
  std::ofstream(absl::StrCat(dir, "/removed_usage.v1"), std::ios::app)
      << R"({"task":"t3","har)";
  ASSERT_TRUE(KeepUsage(*home, {Row("t2", 20, 4), Row("t4", 90, 5)}).ok());
  const Rows rows = usage(0, 50);
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[1].model, "m");
  EXPECT_EQ(rows[1].tasks, 2);
  EXPECT_EQ(rows[1].output_tokens, 7);
  EXPECT_DOUBLE_EQ(rows[1].cost_usd, 1);
  EXPECT_EQ(usage(15, 1000)[1].output_tokens, 9);
  // A task that was not deleted after all has a row of its own.
  const auto there = home->NewTask();
  ASSERT_TRUE(there.ok());
  ASSERT_TRUE(KeepUsage(*home, {Row(there->id, 10, 100)}).ok());
  EXPECT_EQ(usage(0, 50)[1].output_tokens, 7);
}

}  // namespace
}  // namespace troika
