// Tests the demo's agent as its harness runs it.
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "agent/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

class DemoTest : public ::testing::Test {
 protected:
  TestTask::Options Options(absl::string_view prompt) const {
    TestTask::Options options = {.harness = Harness::kDemo};
    options.request.prompt = std::string(prompt);
    options.env["TROIKA_DEMO_BIN"] =
        std::filesystem::absolute("testing/demo/troika-demo-agent").string();
    return options;
  }

  TestHome home_;
};

TEST_F(DemoTest, WorksAndWritesAFile) {
  TestTask task(&home_, Options("show me a task"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().harness, Harness::kDemo);
  EXPECT_FALSE(task.All<Thinking>().empty());
  EXPECT_FALSE(task.All<Todo>().empty());
  EXPECT_TRUE(std::filesystem::exists(home_.cwd() + "/troika-demo.md"));
}

TEST_F(DemoTest, AsksWhereItIsToldTo) {
  TestTask task(&home_, Options("Ask me something"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kAwaitingApproval));
  ASSERT_TRUE(task.runner()
                  .Respond({.id = task.state().approvals.begin()->first,
                            .answer = ApprovalAnswer{.allow = true}})
                  .ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.Answer(), "Thank you: done.");
}

TEST_F(DemoTest, FailsWhereItIsToldTo) {
  TestTask task(&home_, Options("fail, please"));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
}

// The last test, because enabling the demo can't be undone.
TEST_F(DemoTest, IsShownOnlyWhereItWasSwitchedOn) {
  EXPECT_EQ(AllBackends().size(), 3u);
  ASSERT_TRUE(BackendById("demo").ok());
  EXPECT_EQ((*BackendById("demo"))->display_name, "Demo");
  EnableDemoHarness();
  ASSERT_EQ(AllBackends().size(), 4u);
  EXPECT_EQ(AllBackends().back()->harness, Harness::kDemo);
}

}  // namespace
}  // namespace troika
