#include "bench/scale_tasks.h"

#include <map>
#include <string>

#include "absl/time/time.h"
#include "agent/message.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "task/home.h"
#include "task/load_testing.h"

namespace troika::bench {
namespace {

constexpr absl::Time kNewest = absl::FromUnixSeconds(1'790'000'000);

Home HomeIn(const TempFolder& folder) {
  return *Home::Open(
      Environment(Environment::Map{{"TROIKA_HOME", folder.path() + "/home"}}));
}

TEST(ScaleTasksTest, LogsReadAsEndedTasks) {
  const TempFolder folder;
  const Home home = HomeIn(folder);
  const auto made =
      MakeTasks(home.path(), {.ended = 300, .queued = 3, .newest = kNewest});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->tasks, 303);
  std::map<TaskStatus, int> states;
  for (const std::string& id : home.TaskIds()) {
    auto task = home.OpenTask(id);
    ASSERT_TRUE(task.ok());
    int errors = 0;
    const auto state = Load(*task, [&](const Message& message) {
      errors += std::holds_alternative<ParseError>(message.payload);
    });
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_EQ(errors, 0) << id;
    EXPECT_FALSE(state->process_alive) << id;
    ++states[state->status];
  }
  EXPECT_EQ(states[TaskStatus::kQueued], 3);
  EXPECT_GT(states[TaskStatus::kDone], 220);
  EXPECT_GT(states[TaskStatus::kFailed], 0);
  EXPECT_GT(states[TaskStatus::kInterrupted], 0);
  EXPECT_GT(states[TaskStatus::kCancelled], 0);
  EXPECT_EQ(states.size(), 5u);
}

TEST(ScaleTasksTest, SizesAreAsPromised) {
  const TempFolder folder;
  const auto made =
      MakeTasks(folder.path() + "/home", {.ended = 1000, .newest = kNewest});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_GT(made->log_bytes, 1000 * 5'000);
  EXPECT_LT(made->log_bytes, 1000 * 15'000);
}

TEST(ScaleTasksTest, ASecondCallRefusesTheSameTasks) {
  const TempFolder folder;
  const TaskMix mix = {.ended = 1, .newest = kNewest};
  EXPECT_TRUE(MakeTasks(folder.path(), mix).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(MakeTasks(folder.path(), mix).status()));
}

}  // namespace
}  // namespace troika::bench
