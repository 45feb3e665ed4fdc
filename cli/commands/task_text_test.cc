#include "cli/commands/task_text.h"

#include <string>

#include "absl/time/time.h"
#include "cli/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TaskTextTest, SaysWhatWaitsAndHowToAnswer) {
  v1::Task task = WaitingTask();
  task.mutable_approvals(0)->set_reason("it is\nold");
  task.mutable_worked()->set_seconds(125);
  const std::string text = Describe(task, {.now = absl::UnixEpoch()});
  EXPECT_THAT(text, HasSubstr("worked     2m 05s\n"));
  EXPECT_THAT(text, HasSubstr("state      awaiting approval\n"));
  EXPECT_THAT(text, HasSubstr("? approval needed: Bash (1 line, 11 bytes)\n"
                              "  it is\n  old\n  │ rm -r build\n"));
  EXPECT_THAT(text, HasSubstr("can't be read"));
  const std::string exact = Describe(
      task, {.now = absl::UnixEpoch(),
             .columns = 40,
             .inputs = {{"a1", R"({"command":"a\nb","n":9007199254740993})"}}});
  EXPECT_THAT(exact, HasSubstr("  │ a\n  │ b\n  n: 9007199254740993\n"));
  EXPECT_THAT(exact, Not(HasSubstr("can't be read")));
  EXPECT_THAT(text, HasSubstr("  troika respond t1 a1 --allow, or --deny\n"));
  EXPECT_THAT(text, HasSubstr("? Which?\n    1. red\n"));
  EXPECT_THAT(text, HasSubstr("  troika respond t1 q1 --answer TEXT\n"));
  EXPECT_THAT(text, Not(HasSubstr("session")));
}

TEST(TaskTextTest, LinesAreSanitized) {
  v1::Task task;
  task.set_id("t1");
  task.set_title("a\x1b]0;x\n b");
  task.set_state(v1::Task::queued);
  task.set_queue_position(3);
  EXPECT_EQ(TaskLine(task), "t1  queued (3)  a␛]0;x b\n");
  EXPECT_EQ(AgeText(absl::Seconds(-5)), "0s");
  EXPECT_EQ(AgeText(absl::Minutes(90)), "1h");
  EXPECT_EQ(AgeText(absl::Hours(49)), "2d");
}

TEST(TaskTextTest, StatesThatLookGoodShowTheOutcome) {
  v1::Task task;
  task.set_state(v1::Task::done);
  EXPECT_EQ(StateText(task), "done");
  task.set_outcome(v1::done);
  EXPECT_EQ(StateText(task), "done");
  task.set_outcome(v1::denied);
  EXPECT_EQ(StateText(task), "done (denied)");
  task.set_state(v1::Task::idle);
  task.set_outcome(v1::failed);
  EXPECT_EQ(StateText(task), "idle (failed)");
  task.set_state(v1::Task::failed);
  EXPECT_EQ(StateText(task), "failed");
}

TEST(TaskTextTest, ListsWhatWasDenied) {
  v1::Task task;
  v1::Denial& denial = *task.mutable_result()->add_denials();
  denial.set_tool_use_id("t1");
  denial.set_tool_name("Bash");
  denial.set_reason("not now");
  denial.set_by("user");
  task.mutable_result()->set_denial_count(3);
  const std::string text = Describe(task, {.now = absl::UnixEpoch()});
  EXPECT_THAT(text, HasSubstr("denied     Bash t1 by user: not now\n"
                              "denied     and 2 more\n"));
}

}  // namespace
}  // namespace troika::cli
