// Runners where something is amiss around them: the disk, descriptors, a relay.
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

class RunnerTroubleTest : public ::testing::Test {
 protected:
  TestHome home_;
};

// A limit of this process that a test lowers for a while.
class LowLimit {
 public:
  LowLimit(__rlimit_resource kind, rlim_t low) : kind_(kind) {
    getrlimit(kind_, &before_);
    const rlimit limit = {.rlim_cur = low, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(kind_, &limit), 0);
  }
  ~LowLimit() { setrlimit(kind_, &before_); }

 private:
  const __rlimit_resource kind_;
  rlimit before_ = {};
};

TEST_F(RunnerTroubleTest, NotesWaitForADiskThatIsFull) {
  signal(SIGXFSZ, SIG_IGN);
  TestTask task(&home_, {.harness = Harness::kCodex, .script = "say A.\nok"});
  ASSERT_TRUE(task.UntilEnd());
  {
    // Room for a part of the record only.
    const auto size =
        std::filesystem::file_size(task.runner().folder().path + "/log.v1");
    const LowLimit limit(RLIMIT_FSIZE, size + 10);
    ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
    int tries = 0;
    ASSERT_TRUE(task.Until([&] {
      task.clock().Advance(absl::Seconds(2));
      // Between two tries.
      return ++tries >= 5 && task.runner().wake_at() != absl::InfiniteFuture();
    })) << task.advanced();
    EXPECT_THAT(task.runner().trouble(), HasSubstr("write the log: "));
    EXPECT_FALSE(task.runner().settled());
    EXPECT_FALSE(task.runner().at_rest());
  }
  task.clock().Advance(absl::Seconds(2));
  ASSERT_TRUE(task.UntilEnd()) << task.advanced();
  EXPECT_EQ(task.runner().trouble(), "");
  EXPECT_EQ(task.state().turns, 2);
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

TEST_F(RunnerTroubleTest, TheTroubleOfARelayEndsWithIt) {
  std::string script = "say A.\n";
  for (int i = 0; i < 100; ++i) script += "sleep 100\nsay B.\n";
  TestTask task(&home_,
                {.harness = Harness::kClaude, .script = script + "hang"});
  ASSERT_TRUE(task.Until([&] { return !task.All<Text>().empty(); }));
  const pid_t relay = task.runner().relay_pid();
  const auto size =
      std::filesystem::file_size(task.runner().folder().path + "/log.v1");
  const rlimit full = {.rlim_cur = size, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(prlimit(relay, RLIMIT_FSIZE, &full, nullptr), 0);
  ASSERT_TRUE(task.Until([&] { return !task.runner().trouble().empty(); }));
  EXPECT_THAT(task.runner().trouble(), HasSubstr("the agent waits"));
  ASSERT_EQ(kill(relay, SIGKILL), 0);
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.runner().trouble(), "");
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
}

TEST_F(RunnerTroubleTest, StartsWaitForDescriptors) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizers need descriptors for their own checks";
#endif
  TestTask task(&home_, {.harness = Harness::kCodex, .script = "say A.\nok"});
  ASSERT_TRUE(task.created().ok()) << task.created();
  {
    const LowLimit limit(RLIMIT_NOFILE, 3);
    int tries = 0;
    ASSERT_TRUE(task.Until([&] { return ++tries == 3; })) << task.advanced();
    EXPECT_THAT(task.runner().trouble(), HasSubstr("Too many open files"));
  }
  task.clock().Advance(absl::Seconds(2));
  ASSERT_TRUE(task.UntilEnd()) << task.advanced();
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

TEST_F(RunnerTroubleTest, ARelayThatHangsHoldsUpNobody) {
  auto first = std::make_unique<TestTask>(
      &home_,
      TestTask::Options{.harness = Harness::kCodex, .script = "say A.\nhang"});
  ASSERT_TRUE(first->Until([&] { return !first->All<Text>().empty(); }));
  const std::string id = first->runner().folder().id;
  const pid_t relay = first->runner().relay_pid();
  ASSERT_GT(relay, 0);
  ASSERT_EQ(kill(relay, SIGSTOP), 0);
  first.reset();
  TestTask second(&home_, id);
  const absl::Time before = absl::Now();
  ASSERT_TRUE(second.Until([&] { return second.runner().relay_pid() != 0; }));
  EXPECT_LT(absl::Now() - before, absl::Milliseconds(800));
  // What is asked meanwhile is kept for it.
  EXPECT_TRUE(second.runner().Stop("user", "").ok());
  EXPECT_EQ(second.runner().role(), std::nullopt);
  EXPECT_EQ(second.state().status, TaskStatus::kRunning);
  EXPECT_FALSE(second.runner().settled());
  ASSERT_EQ(kill(relay, SIGCONT), 0);
  ASSERT_TRUE(second.UntilRest());
  EXPECT_TRUE(second.runner().settled());
  EXPECT_EQ(second.state().status, TaskStatus::kInterrupted);
}

}  // namespace
}  // namespace troika
