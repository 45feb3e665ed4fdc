// Budgets that are used up: on fake CLIs, through the real relay.
#include <filesystem>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/answer.h"
#include "task/budget.h"
#include "task/inputs.h"
#include "task/load_testing.h"
#include "task/runner.h"
#include "task/runner_testing.h"
#include "task/state_testing.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The fakes use 150 tokens in a turn, or a message, unless the script says
// otherwise.
constexpr absl::string_view kHangs = "say One.\nhang\n== turn 2\nsay Two.\nok";

class RunnerBudgetTest : public ::testing::Test {
 protected:
  RunnerBudgetTest() {
    std::filesystem::create_directory(home_.cwd() + "/.git");
  }

  static TestTask::Options Script(Harness harness, absl::string_view script,
                                  notes::Budget budget) {
    TestTask::Options options = {.harness = harness,
                                 .script = std::string(script)};
    options.request.budget = budget;
    return options;
  }
  static AnswerGiven Answer(const TestTask& task, bool allow,
                            absl::string_view via = "api") {
    return {
        .id = task.state().approvals.begin()->first,
        .by = "user",
        .via = std::string(via),
        .answer = ApprovalAnswer{
            .allow = allow, .choice = std::string(allow ? kApprove : kDeny)}};
  }
  static bool UntilAsked(TestTask& task) {
    return task.Until([&] {
      return AsksForBudget(task.state()) && !task.state().turn_open &&
             task.runner().settled();
    });
  }
  static std::vector<std::string> Delivered(const TestTask& task) {
    std::vector<std::string> texts;
    for (const UserInput& input : task.All<UserInput>()) {
      texts.push_back(input.text);
    }
    return texts;
  }
  void ExpectLoadedAsLive(TestTask& task) {
    const auto loaded = Load(task.runner().folder(), [](Message&&) {});
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(*loaded, task.state()) << "live:\n"
                                     << StateText(task.state()) << "loaded:\n"
                                     << StateText(*loaded);
  }

  TestHome home_;
};

// The turn of an agent that tells its tokens while it works is ended, and goes
// on after the answer.
void GoesOnAfterATurnThatWasEnded(TestTask& task) {
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.Until([&] { return AsksForBudget(task.state()); }));
  ASSERT_TRUE(task.Until([&] { return !task.state().turn_open; }));
  EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
  ASSERT_THAT(task.state().approvals, SizeIs(1));
  const Approval asked = task.state().approvals.begin()->second.request;
  EXPECT_EQ(asked.id, "budget-1");
  EXPECT_EQ(asked.kind, Approval::Kind::kBudget);
  EXPECT_THAT(asked.choices, ElementsAre("approve", "deny"));
  EXPECT_THAT(asked.reason, HasSubstr("of 100 tokens"));
  EXPECT_THAT(asked.reason, HasSubstr("use as much again (100 tokens)"));
  EXPECT_EQ(task.state().outcome, TurnOutcome::kInterrupted);
  EXPECT_TRUE(task.state().budget.goes_on);
  ASSERT_TRUE(task.runner()
                  .Respond({.id = "budget-1",
                            .by = "user",
                            .answer = ApprovalAnswer{.allow = true}})
                  .ok());
  ASSERT_TRUE(task.Until(
      [&] { return task.state().turns == 2 && !task.state().turn_open; }));
  EXPECT_FALSE(task.state().budget.goes_on);
}

TEST_F(RunnerBudgetTest, ClaudeIsInterruptedWithinTheTurn) {
  TestTask task(&home_,
                Script(Harness::kClaude,
                       "say One.\nhang\n== turn 2\nusage 1 0 1\nsay Two.\nok",
                       {.tokens = 100}));
  GoesOnAfterATurnThatWasEnded(task);
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Two.");
  EXPECT_EQ(task.state().generation, 1);
  EXPECT_EQ(task.state().result->denial_count, 0);
  ExpectLoadedAsLive(task);
}

TEST_F(RunnerBudgetTest, AppServerIsInterruptedWithinTheTurn) {
  TestTask::Options options =
      Script(Harness::kCodex,
             "usage 90 0 20\nsay One.\nhang\n== turn 2\n"
             "usage 1 0 1\nsay Two.\nok",
             {.tokens = 100});
  options.request.options.edit_mode = EditMode::kAsk;
  TestTask task(&home_, std::move(options));
  GoesOnAfterATurnThatWasEnded(task);
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().wire, Wire::kAppServer);
  ExpectLoadedAsLive(task);
}

TEST_F(RunnerBudgetTest, AProcessWithoutInterruptsEndsAndIsResumed) {
  TestTask task(&home_, Script(Harness::kCodex, kHangs, {.time_ms = 1500}));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
  EXPECT_FALSE(task.state().process_alive);
  EXPECT_EQ(task.state().last_end->status, TaskStatus::kInterrupted);
  ASSERT_TRUE(AsksForBudget(task.state()));
  EXPECT_THAT(task.state().approvals.begin()->second.request.reason,
              HasSubstr("of 1.5s of working time"));
  // At 80 % there was a notice.
  EXPECT_THAT(task.state().budget.warned, ElementsAre("time"));
  ExpectLoadedAsLive(task);
  ASSERT_TRUE(task.runner().Respond(Answer(task, true)).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "Two.");
  EXPECT_EQ(task.state().generation, 2);
  EXPECT_THAT(Delivered(task), testing::Contains(std::string(kGoOn)));
  ExpectLoadedAsLive(task);
}

TEST_F(RunnerBudgetTest, ABudgetReachedAtTheEndAsksAtTheNextInput) {
  TestTask task(&home_,
                Script(Harness::kCodex, "say One.\nok\n== turn 2\nsay Two.\nok",
                       {.tokens = 100}));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kDone);
  EXPECT_THAT(task.state().approvals, IsEmpty());
  // A notice tells of it.
  EXPECT_THAT(task.state().budget.warned, ElementsAre("tokens"));
  std::string id;
  ASSERT_TRUE(task.runner().Input({.prompt = "go"}, &id).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
  EXPECT_TRUE(FindInput(task.state(), id)->waits());
  EXPECT_EQ(task.state().turns, 1);
  // Another input waits behind it.
  ASSERT_TRUE(task.runner().Input({.prompt = "and this"}).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().budget.asked, 1);
  ASSERT_TRUE(task.runner().Respond(Answer(task, true)).ok());
  // The second one is over the budget again.
  ASSERT_TRUE(task.Until([&] { return task.state().budget.asked == 2; }))
      << StateText(task.state());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.Answer(), "Two.");
  EXPECT_EQ(task.state().turns, 2);
  EXPECT_EQ(FindInput(task.state(), id)->receipt.state,
            Receipt::State::kDelivered);
  EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
  ExpectLoadedAsLive(task);
}

TEST_F(RunnerBudgetTest, DeniedItStaysStoppedAndAsksAtTheNextInput) {
  TestTask task(&home_, Script(Harness::kClaude, kHangs, {.tokens = 100}));
  ASSERT_TRUE(UntilAsked(task));
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.runner().Respond(Answer(task, false)).ok());
  ASSERT_TRUE(task.Until([&] { return !AsksForBudget(task.state()); }));
  EXPECT_EQ(task.state().status, TaskStatus::kIdle);
  EXPECT_TRUE(task.state().queue_held);
  EXPECT_FALSE(task.state().budget.goes_on);
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_EQ(task.state().turns, 1);
  EXPECT_EQ(task.state().result->denial_count, 0);
  ASSERT_TRUE(task.runner().ResumeQueue("user").ok());
  ASSERT_TRUE(UntilAsked(task));
  EXPECT_EQ(task.state().budget.asked, 2);
  ASSERT_TRUE(task.runner().Stop("user", "enough").ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_EQ(task.state().settled.back().choice, "deny");
  ExpectLoadedAsLive(task);
}

TEST_F(RunnerBudgetTest, AnotherRunnerTakesUpTheQuestion) {
  std::string id;
  {
    TestTask task(&home_, Script(Harness::kCodex, kHangs, {.time_ms = 1500}));
    ASSERT_TRUE(task.Until([&] { return AsksForBudget(task.state()); }));
    id = task.runner().folder().id;
  }
  TestTask task(&home_, id);
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
  // Only the first answer counts.
  ASSERT_TRUE(task.runner().Respond(Answer(task, true)).ok());
  const absl::Status second =
      task.runner().Respond({.id = "budget-1",
                             .by = "user",
                             .via = "page",
                             .answer = ApprovalAnswer{.choice = "deny"}});
  EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.Answer(), "Two.");
  EXPECT_EQ(task.state().settled.back().choice, "approve");
}

TEST_F(RunnerBudgetTest, TurnsAreCountedBeforeTheyBegin) {
  TestTask task(&home_, Script(Harness::kClaude, "say A.\nok", {.turns = 2}));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(task.runner().Input({.prompt = "two"}).ok());
  ASSERT_TRUE(task.Until(
      [&] { return task.state().turns == 2 && !task.state().turn_open; }));
  EXPECT_FALSE(AsksForBudget(task.state()));
  ASSERT_TRUE(task.runner().Input({.prompt = "three"}).ok());
  ASSERT_TRUE(UntilAsked(task));
  EXPECT_EQ(task.state().turns, 2);
  ASSERT_TRUE(task.runner().Respond(Answer(task, true)).ok());
  ASSERT_TRUE(task.Until([&] { return task.state().turns == 3; }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone);
}

TEST_F(RunnerBudgetTest, AnApprovalOfTheAgentIsCancelledWithItsTurn) {
  TestTask task(&home_, Script(Harness::kClaude,
                               "say One.\nask Bash {\"command\":\"make\"}\nok\n"
                               "== turn 2\nusage 1 0 1\nsay Two.\nok",
                               {.tokens = 100}));
  ASSERT_TRUE(UntilAsked(task));
  ASSERT_TRUE(task.Until([&] { return task.state().approvals.size() == 1; }));
  EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
  ASSERT_TRUE(task.runner().Respond(Answer(task, true)).ok());
  ASSERT_TRUE(task.Until([&] { return task.state().turns == 2; }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.Answer(), "Two.");
}

TEST_F(RunnerBudgetTest, AnUnknownCostIsTold) {
  TestTask task(&home_,
                Script(Harness::kCodex, "say A.\nok", {.cost_microusd = 1}));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_TRUE(task.state().budget.told_no_cost);
  EXPECT_EQ(task.state().budget.cost_microusd, std::nullopt);
  ASSERT_TRUE(task.runner().Input({.prompt = "again"}).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().turns, 2);
}

TEST_F(RunnerBudgetTest, ATaskThatNeverStartedIsCancelledByADenial) {
  TestTask::Options options = Script(Harness::kCodex, "say A.\nok", {});
  options.shared_budgets = [] {
    return std::vector<notes::BudgetAmount>{{.scope = "2026-11-17",
                                             .kind = notes::BudgetKind::kTokens,
                                             .used = 500,
                                             .limit = 400}};
  };
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
  EXPECT_EQ(task.state().generation, 0);
  ASSERT_TRUE(task.runner().Respond(Answer(task, false)).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kCancelled);
  ExpectLoadedAsLive(task);
}

TEST_F(RunnerBudgetTest, AnAnswerToASharedBudgetCountsForTheTask) {
  TestTask::Options options = Script(Harness::kCodex, "say A.\nok", {});
  options.shared_budgets = [] {
    return std::vector<notes::BudgetAmount>{{.scope = "2026-11-17",
                                             .kind = notes::BudgetKind::kTokens,
                                             .used = 500,
                                             .limit = 200}};
  };
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilRest());
  ASSERT_TRUE(task.runner().Respond(Answer(task, true)).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kDone);
  // 150 of 200 tokens are used since.
  ASSERT_TRUE(task.runner().Input({.prompt = "again"}).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().turns, 2);
  ASSERT_TRUE(task.runner().Input({.prompt = "once more"}).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
}

}  // namespace
}  // namespace troika
