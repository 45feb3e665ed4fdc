#include "cli/commands/task_text.h"

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cli/commands/task_list.h"
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

TEST(TaskTextTest, StatesAreOutcomesThatDoNotChangeByThemselves) {
  v1::Task task;
  task.set_state(v1::Task::running);
  EXPECT_EQ(StateText(task), "running");
  EXPECT_EQ(AgentText(task), "works");
  // One word for all harnesses, whether or not the process lives on.
  struct Case {
    v1::Outcome outcome;
    const char* text;
  };
  for (const Case& c :
       {Case{v1::done, "done"}, Case{v1::denied, "denied"},
        Case{v1::failed, "failed"}, Case{v1::interrupted, "interrupted"}}) {
    task.set_outcome(c.outcome);
    task.set_state(v1::Task::idle);
    EXPECT_EQ(StateText(task), c.text);
    EXPECT_EQ(AgentText(task), "waits");
    for (const auto state : {v1::Task::done, v1::Task::interrupted}) {
      task.set_state(state);
      EXPECT_EQ(StateText(task), c.text);
      EXPECT_EQ(AgentText(task), "ended");
    }
  }
  task.set_state(v1::Task::cancelled);
  EXPECT_EQ(StateText(task), "cancelled");
  EXPECT_EQ(AgentText(task), "");
  task.clear_outcome();
  task.set_state(v1::Task::idle);
  EXPECT_EQ(StateText(task), "idle");
}

v1::Task Listed(const std::string& id, const std::string& title) {
  v1::Task task;
  task.set_id(id);
  task.set_title(title);
  task.set_harness("claude");
  task.set_cwd("/home/me/src/app");
  task.set_state(v1::Task::idle);
  task.set_outcome(v1::failed);
  task.mutable_last_activity_at()->set_seconds(100);
  return task;
}

TEST(TaskListTest, FitsAnyWidth) {
  const std::vector<v1::Task> tasks = {Listed("t1", "fix the login test"),
                                       Listed("t2", "another title")};
  TaskListLook look = {.now = absl::FromUnixSeconds(160), .home = "/home/me"};
  EXPECT_EQ(
      TaskListText(tasks, look),
      "ID  STATE   AGENT  HARNESS  ACTIVE  COST  FOLDER     TITLE\n"
      "t1  failed  waits  claude   1m      –     ~/src/app  fix the login "
      "test\n"
      "t2  failed  waits  claude   1m      –     ~/src/app  another "
      "title\n");
  look.width = 50;
  EXPECT_EQ(TaskListText({tasks[0]}, look),
            "ID  STATE   HARNESS  ACTIVE  TITLE\n"
            "t1  failed  claude   1m      fix the login test\n");
  look.width = 28;
  look.color = Timeline::Color::kAlways;
  EXPECT_THAT(TaskListText({tasks[0]}, look),
              HasSubstr("t1  \x1b[31mfailed\x1b[0m  fix the login t…\n"));
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
  EXPECT_THAT(text, HasSubstr("denied     Bash by user: not now\n"
                              "denied     and 2 more\n"));
}

}  // namespace
}  // namespace troika::cli
