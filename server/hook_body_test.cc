#include "server/hook_body.h"

#include <string>

#include "gtest/gtest.h"

namespace troika {
namespace {

TaskState State() {
  TaskState state;
  state.title = "use sesame-sesame";
  state.cwd = "/src/app";
  state.harness = Harness::kCodex;
  return state;
}

HookEvent Asking() {
  return {.kind = HookEvent::Kind::kAsking,
          .id = {17, 0},
          .time = absl::FromUnixSeconds(1700000000),
          .status = TaskStatus::kAwaitingApproval,
          .turn = 2,
          .asked = "a1",
          .approval = Approval::Kind::kCommandLine,
          .tool_name = "Bash",
          .text = "echo sesame-sesame",
          .usage = {.input = 3, .output = 4},
          .cost = {0.5, CostSource::kReported}};
}

TEST(HookBodyTest, TellsTheEventWithoutSecrets) {
  const v1::HookEvent told =
      DescribeHookEvent("t1", Asking(), State(),
                        Redactor(std::vector<std::string>{"sesame-sesame"}));
  EXPECT_EQ(told.id(), "t1-17.0-asking");
  EXPECT_EQ(told.event(), "asking");
  EXPECT_EQ(told.text(), "echo [redacted]");
  EXPECT_EQ(told.task().title(), "use [redacted]");
  EXPECT_EQ(told.task().cwd(), "/src/app");
  EXPECT_EQ(told.task().state(), "awaiting_approval");
  EXPECT_EQ(told.task().outcome(), "");
  EXPECT_EQ(told.asked().id(), "a1");
  EXPECT_EQ(told.asked().kind(), "command_line");
  EXPECT_EQ(told.tokens(), 7);
  EXPECT_EQ(told.cost_source(), "reported");
}

TEST(HookBodyTest, LongTextsAreCutAndBrokenOnesMended) {
  HookEvent event = Asking();
  event.text = std::string(5000, 'x');
  event.approval.reset();
  TaskState state = State();
  state.title = "\xff";
  const v1::HookEvent told = DescribeHookEvent(
      "t1", event, state, Redactor(std::vector<std::string>()));
  EXPECT_EQ(told.text(), std::string(kMaxHookText, 'x'));
  EXPECT_EQ(told.asked().kind(), "question");
  EXPECT_EQ(told.task().title(), "\xef\xbf\xbd");
}

TEST(HookBodyTest, IfTheSecretsAreNotKnownTheAgentsTextsAreWithheld) {
  const v1::HookEvent told = DescribeHookEvent(
      "t1", Asking(), State(),
      Redactor(KnownSecrets{.problem = "its environment can't be read"}));
  EXPECT_EQ(told.text(), "[withheld: its environment can't be read]");
  EXPECT_EQ(told.event(), "asking");
  EXPECT_EQ(told.task().cwd(), "/src/app") << "hooks are chosen by it";
}

}  // namespace
}  // namespace troika
