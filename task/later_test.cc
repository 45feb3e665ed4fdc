#include "task/later.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace troika {
namespace {

TEST(LaterTest, WithoutAnExecutorItIsDoneAtOnce) {
  Later<int> later;
  EXPECT_FALSE(later.busy());
  EXPECT_EQ(later.Take(), std::nullopt);
  later.Start(nullptr, [] { return 7; });
  EXPECT_TRUE(later.busy());
  EXPECT_FALSE(later.running());
  EXPECT_EQ(later.Take(), 7);
  EXPECT_FALSE(later.busy());
  BlockingExecutor unset;
  later.Start(&unset, [] { return 8; });
  EXPECT_EQ(later.Take(), 8);
}

// Keeps what it is given, for the test to run.
struct Kept {
  std::vector<absl::AnyInvocable<void()>> work;
  std::vector<absl::AnyInvocable<void()>> done;
  BlockingExecutor executor = [this](absl::AnyInvocable<void()> w,
                                     absl::AnyInvocable<void()> d) {
    work.push_back(std::move(w));
    done.push_back(std::move(d));
  };
};

TEST(LaterTest, ResultIsThereWhenDoneWasCalled) {
  Kept kept;
  Later<std::unique_ptr<int>> later;
  later.Start(&kept.executor, [] { return std::make_unique<int>(7); });
  EXPECT_TRUE(later.running());
  kept.work[0]();
  EXPECT_TRUE(later.running());
  EXPECT_EQ(later.Take(), std::nullopt);
  kept.done[0]();
  EXPECT_FALSE(later.running());
  EXPECT_TRUE(later.busy());
  EXPECT_EQ(**later.Take(), 7);
}

TEST(LaterTest, MayGoBeforeItsWork) {
  Kept kept;
  auto held = std::make_shared<int>(7);
  {
    Later<std::shared_ptr<int>> later;
    later.Start(&kept.executor, [held] { return held; });
  }
  kept.work[0]();
  kept.done[0]();
  kept.work.clear();
  kept.done.clear();
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace troika
