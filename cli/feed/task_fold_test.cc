#include "cli/feed/task_fold.h"

#include "cli/testing.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

TEST(TaskFoldTest, CountsEventsIn) {
  v1::Task task;
  task.set_id("t1");
  task.set_harness("codex");
  task.set_turns(2);
  task.set_state(v1::Task::idle);
  TaskFold fresh(task, TaskFold::From::kStart);
  EXPECT_EQ(fresh.state().turns, 0);
  EXPECT_EQ(fresh.state().harness, Harness::kCodex);
  TaskFold later(task, TaskFold::From::kTask);
  EXPECT_EQ(later.state().status, TaskStatus::kIdle);
  const auto asked = later.Take(
      R"({"id":"9.0","lifecycle":{"kind":"turn_asked","generation":1}})");
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->id, (EventId{9, 0}));
  EXPECT_EQ(later.state().turns, 3);
  EXPECT_EQ(later.state().status, TaskStatus::kRunning);
  EXPECT_FALSE(later.was_cut());
  ASSERT_TRUE(later
                  .Take(R"({"id":"9.1","text":{"text":"a"},)"
                        R"("cut":[{"field":"text","size":"9"}]})")
                  .ok());
  EXPECT_TRUE(later.was_cut());
  later.Restart();
  EXPECT_EQ(later.state().turns, 0);
  // A first turn began with the task, and of later ones the caller may know it.
  EXPECT_EQ(later.state().turn_started, std::nullopt);
  task.set_turns(1);
  task.mutable_started_at()->set_seconds(100);
  EXPECT_EQ(TaskFold(task, TaskFold::From::kTask).state().turn_started,
            absl::FromUnixSeconds(100));
  task.set_turns(2);
  EXPECT_EQ(TaskFold(task, TaskFold::From::kTask, absl::FromUnixSeconds(200))
                .state()
                .turn_started,
            absl::FromUnixSeconds(200));
  // What waits already is known from the task.
  v1::Task waiting = WaitingTask();
  waiting.mutable_approvals(0)->set_event_id("7.2");
  const TaskFold asked_before(waiting, TaskFold::From::kTask);
  EXPECT_EQ(asked_before.state().approvals.at("a1").asked, (EventId{7, 2}));
  EXPECT_EQ(asked_before.state().questions.at("q1").request.items[0].text,
            "Which?");
  EXPECT_FALSE(later.Take("no event").ok());
}

}  // namespace
}  // namespace troika::cli
