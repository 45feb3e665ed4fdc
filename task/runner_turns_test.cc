// What differs between harnesses, and what happens between turns: on fake CLIs,
// through the real relay.
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RunnerTurnsTest : public ::testing::Test {
 protected:
  TestHome home_;
};

TEST_F(RunnerTurnsTest, SteeringWhatCantIsAnErrorThatSaysWhatToDo) {
  TestTask task(&home_,
                {.harness = Harness::kGemini, .script = "say A.\nhang"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  EXPECT_THAT(task.runner()
                  .Input({.prompt = "more", .mode = InputMode::kSteer})
                  .message(),
              HasSubstr("takes no input while a turn runs: use --queue"));
  ASSERT_TRUE(task.runner().Stop("user", "").ok());
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerTurnsTest, ClaudeTakesSeveralTurnsInOneProcess) {
  TestTask task(&home_, {.harness = Harness::kClaude,
                         .script = "== turn 1\nsay One.\nok\n"
                                   "== turn 2\nsay Two.\nok\n"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(task.runner().Input({.prompt = "go on"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  EXPECT_EQ(task.state().generation, 1);
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone);
}

TEST_F(RunnerTurnsTest, IdleProcessIsClosedAfterTenMinutes) {
  TestTask task(&home_,
                {.harness = Harness::kClaude, .script = "say One.\nok\n"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  task.clock().Advance(absl::Minutes(11));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kDone);
}

TEST_F(RunnerTurnsTest, ANewThreadInPlaceOfTheOneAskedForFails) {
  TestTask::Options options = {.script = "say A.\nsleep 60000\nok"};
  options.request.resume_session = "no-such-name";
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_THAT(task.state().error, HasSubstr("another session"));
  // Nor does a later turn go on in that one.
  EXPECT_EQ(task.state().session_id, "no-such-name");
}

TEST_F(RunnerTurnsTest, InputBetweenAResultAndTheExitIsNotLost) {
  // The relay lives on a moment, to end what the agent left behind.
  TestTask task(&home_,
                {.script = "== turn 1\nsay A.\nfork-sleeper setsid 1000\nok\n"
                           "== turn 2\nsay B.\nok\n"});
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 1; }));
  absl::SleepFor(absl::Milliseconds(100));
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().turns, 2);
}

TEST_F(RunnerTurnsTest, ImagesAreThoseOfTheTurn) {
  const std::string first = home_.path() + "/first.png";
  const std::string second = home_.path() + "/second.png";
  std::ofstream(first) << "png";
  std::ofstream(second) << "png";
  TestTask::Options options = {
      .script = absl::StrCat("== turn 1\nsay A.\nok\n== turn 2\ndump-args ",
                             home_.path(), "/args\nsay B.\nok\n")};
  options.request.options.images = {first};
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  ASSERT_TRUE(task.runner().Input({.prompt = "more", .images = {second}}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  const std::string args = ReadWhole(home_.path() + "/args");
  EXPECT_THAT(args, HasSubstr(second));
  EXPECT_THAT(args, ::testing::Not(HasSubstr(first)));
}

TEST_F(RunnerTurnsTest, PromptAndImagesThatNoNoteHoldsAreRefused) {
  TestTask::Options options = {.harness = Harness::kClaude, .script = "ok"};
  for (const char* name : {"/a.png", "/b.png"}) {
    options.request.options.images.push_back(home_.path() + name);
    std::ofstream(home_.path() + name) << std::string(9 << 20, 'x');
  }
  TestTask task(&home_, std::move(options));
  EXPECT_THAT(task.created().message(), HasSubstr("over 16 MiB together"));
  EXPECT_THAT(home_.home().TaskIds(), IsEmpty());
}

TEST_F(RunnerTurnsTest, LatestSessionOfAFolderWithoutOneIsAnError) {
  TestTask::Options options = {.script = "ok"};
  options.request.resume_session = std::string(kLatestSession);
  TestTask task(&home_, std::move(options));
  EXPECT_TRUE(absl::IsNotFound(task.created())) << task.created();
}

TEST_F(RunnerTurnsTest, OptionsHoldOverTurns) {
  TestTask::Options options = {
      .script = absl::StrCat("== turn 1\nsay A.\nok\n== turn 2\ndump-args ",
                             home_.path(), "/args\nsay B.\nok\n")};
  options.request.options.model = "gpt-5.5";
  options.request.options.edit_mode = EditMode::kAutoEdit;
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilEnd());
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  const std::string args = ReadWhole(home_.path() + "/args");
  EXPECT_THAT(args, HasSubstr("gpt-5.5"));
  EXPECT_THAT(args, HasSubstr("workspace-write"));
  EXPECT_THAT(args, HasSubstr("resume"));
}

TEST_F(RunnerTurnsTest, SameRequestKeyAsksOnce) {
  for (const Harness harness : {Harness::kCodex, Harness::kClaude}) {
    TestTask task(&home_, {.harness = harness,
                           .script = "== turn 1\nsay One.\nok\n"
                                     "== turn 2\nsay Two.\nok\n"});
    ASSERT_TRUE(task.UntilEnd());
    const TurnRequest turn = {.prompt = "more", .request_key = "k1"};
    ASSERT_TRUE(task.runner().Input(turn).ok());
    ASSERT_TRUE(task.runner().Input(turn).ok());
    ASSERT_TRUE(task.UntilEnd());
    EXPECT_TRUE(task.runner().settled());
    EXPECT_EQ(task.state().last_request_key, "k1");
    TestTask again(&home_, task.runner().folder().id);
    ASSERT_TRUE(again.UntilRest());
    ASSERT_TRUE(again.runner().Input(turn).ok());
    ASSERT_TRUE(again.UntilRest());
    EXPECT_EQ(again.state().turns, 2);
  }
}

TEST_F(RunnerTurnsTest, InputsWhileATurnRunsAreAllAsked) {
  TestTask task(&home_, {.harness = Harness::kClaude,
                         .script = "say One.\nsleep 300\nok\n"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  ASSERT_TRUE(task.runner().Input({.prompt = "second"}).ok());
  ASSERT_TRUE(task.runner().Input({.prompt = "third"}).ok());
  EXPECT_FALSE(task.runner().settled());
  ASSERT_TRUE(task.Until([&] { return task.state().turns == 3; }));
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerTurnsTest, ModelAndEditModeOfATurnHoldFromThenOn) {
  for (const Harness harness : {Harness::kCodex, Harness::kClaude}) {
    TestTask::Options options = {
        .harness = harness,
        .script =
            absl::StrCat("dump-args ", home_.path(), "/args\nsay A.\nok")};
    options.request.options.model = "first-model";
    options.request.options.approval_policy =
        harness == Harness::kCodex ? "never" : "plan";
    TestTask task(&home_, std::move(options));
    ASSERT_TRUE(task.created().ok()) << task.created();
    ASSERT_TRUE(task.Until([&] {
      return task.state().status == TaskStatus::kIdle ||
             task.state().status == TaskStatus::kDone;
    }));
    EXPECT_EQ(task.state().asked_model, "first-model");
    EXPECT_EQ(task.state().edit_mode, std::nullopt);
    EXPECT_THAT(ReadWhole(home_.path() + "/args"), HasSubstr("first-model"));
    // Claude's process lives, and makes room for another.
    ASSERT_TRUE(task.runner()
                    .Input({.prompt = "more",
                            .model = "second-model",
                            .edit_mode = EditMode::kAutoEdit})
                    .ok());
    ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
    const std::string args = ReadWhole(home_.path() + "/args");
    EXPECT_THAT(args, HasSubstr("second-model"));
    EXPECT_THAT(args, HasSubstr(harness == Harness::kCodex ? "workspace-write"
                                                           : "acceptEdits"));
    EXPECT_THAT(args, ::testing::Not(HasSubstr("plan")));
    EXPECT_EQ(task.state().generation, 2);
    EXPECT_EQ(task.state().edit_mode, EditMode::kAutoEdit);
    ASSERT_TRUE(task.UntilEnd());
    EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  }
}

TEST_F(RunnerTurnsTest, AnotherModelNeedsNoOtherProcessIfTheWireCanSetIt) {
  TestTask task(&home_, {.harness = Harness::kClaude, .script = "say A.\nok"});
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  for (const std::string model : {"opus", "haiku", "haiku"}) {
    const size_t turns = task.All<Result>().size();
    ASSERT_TRUE(task.runner().Input({.prompt = "more", .model = model}).ok());
    ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() > turns; }));
    EXPECT_EQ(task.state().model, model);
    EXPECT_EQ(task.state().asked_model, model);
  }
  EXPECT_EQ(task.state().generation, 1);
  // The next process begins with the last model.
  ASSERT_TRUE(task.UntilEnd());
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 5; }));
  EXPECT_EQ(task.state().model, "haiku");
  EXPECT_EQ(task.state().generation, 2);
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerTurnsTest, AForkContinuesUnderAnIdOfItsOwn) {
  TestTask::Options options = {.harness = Harness::kClaude,
                               .script = "say A.\nok"};
  TestTask original(&home_, options);
  ASSERT_TRUE(original.UntilEnd());
  const std::string session = original.state().session_id;
  options.request.resume_session = session;
  options.request.fork_session = true;
  TestTask task(&home_, options);
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  const std::string fork = task.state().session_id;
  EXPECT_NE(fork, session);
  // From then on it is a session like any other.
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().session_id, fork);
  EXPECT_EQ(task.state().generation, 2);

  options.harness = Harness::kGemini;
  EXPECT_THAT(std::string(TestTask(&home_, options).created().message()),
              HasSubstr("can't fork a session"));
  options.harness = Harness::kClaude;
  options.request.resume_session.clear();
  EXPECT_THAT(std::string(TestTask(&home_, options).created().message()),
              HasSubstr("there is no session to fork"));
}

TEST_F(RunnerTurnsTest, TheModelStaysWhileATurnRuns) {
  TestTask task(&home_,
                {.harness = Harness::kClaude, .script = "say A.\nhang"});
  ASSERT_TRUE(task.Until([&] { return !task.All<Text>().empty(); }));
  EXPECT_THAT(
      std::string(
          task.runner().Input({.prompt = "more", .model = "opus"}).message()),
      HasSubstr("can't change while a turn runs"));
  ASSERT_TRUE(task.runner().Stop("user", "").ok());
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerTurnsTest, WaitsUntilItMayStart) {
  bool may_start = false;
  int asked = 0;
  TestTask task(
      &home_,
      {.harness = Harness::kCodex, .script = "say A.\nok", .may_start = [&] {
         ++asked;
         return may_start;
       }});
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.Until([&] { return task.runner().waits_for_start(); }));
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(task.runner().wake_at(), absl::InfiniteFuture());
  EXPECT_FALSE(task.runner().at_rest());
  EXPECT_TRUE(task.runner().settled());
  may_start = true;
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

TEST_F(RunnerTurnsTest, WhatWaitsForItsStartCanBeCancelled) {
  TestTask task(&home_, {.harness = Harness::kCodex,
                         .script = "say A.\nok",
                         .may_start = [] { return false; }});
  ASSERT_TRUE(task.Until([&] { return task.runner().waits_for_start(); }));
  ASSERT_TRUE(task.runner().Stop("user", "").ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kCancelled);
}

TEST_F(RunnerTurnsTest, WorkingTimeThatIsUsedUpCanBeRaised) {
  TestTask::Options options = {
      .harness = Harness::kCodex,
      .script = "== turn 1\nsay One.\nhang\n== resume\nsay Two.\nok"};
  options.request.timeouts.task = absl::Milliseconds(200);
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_EQ(task.state().error, "the task deadline of 200ms passed (timeout)");
  EXPECT_THAT(task.state().hint, HasSubstr("--task-timeout"));
  EXPECT_GE(task.state().worked, absl::Milliseconds(200));
  const absl::Status refused = task.runner().Input({.prompt = "more"});
  EXPECT_THAT(refused.message(), HasSubstr("its task timeout is 200ms"));
  EXPECT_THAT(refused.message(), HasSubstr("--task-timeout"));
  EXPECT_FALSE(task.runner()
                   .Input({.prompt = "more",
                           .timeouts = {.task = absl::Milliseconds(100)}})
                   .ok());
  ASSERT_TRUE(
      task.runner()
          .Input({.prompt = "more", .timeouts = {.task = absl::Hours(1)}})
          .ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().timeouts.task, absl::Hours(1));
}

// However long it lay there: only the work counts.
TEST_F(RunnerTurnsTest, OldTaskTakesAnotherTurn) {
  TestTask task(&home_,
                {.harness = Harness::kCodex,
                 .script = "== turn 1\nsay One.\nok\n== resume\nsay Two.\nok"});
  ASSERT_TRUE(task.UntilEnd());
  task.clock().Advance(absl::Hours(24 * 30));
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

TEST_F(RunnerTurnsTest, LongLogsAreReadInParts) {
  TestTask first(&home_, {.harness = Harness::kCodex,
                          .script = "flood 20000 300\nsay A.\nhang"});
  ASSERT_TRUE(first.Until([&] { return first.state().last_record > 20000; }));
  TestTask second(&home_, first.runner().folder().id);
  size_t before = 0;
  int calls = 0;
  ASSERT_TRUE(second.Until([&] {
    ++calls;
    if (!second.runner().caught_up()) {
      EXPECT_FALSE(second.runner().at_rest());
      EXPECT_TRUE(absl::IsUnavailable(second.runner().Stop("user", "")));
      EXPECT_EQ(second.runner().relay_pid(), 0);
      EXPECT_NE(second.runner().wake_at(), absl::InfiniteFuture());
    }
    // One budget, and the rest of a chunk.
    EXPECT_LT(second.messages().size() - before, 8000u);
    before = second.messages().size();
    return second.runner().caught_up();
  }));
  EXPECT_GT(calls, 4);
  ASSERT_TRUE(second.Until([&] { return second.runner().relay_pid() != 0; }));
  EXPECT_EQ(second.runner().relay_pid(),
            relay::RelayProcess(first.runner().folder().path, "troika-relay"));
  ASSERT_TRUE(first.runner().Stop("user", "", absl::Milliseconds(50)).ok());
  ASSERT_TRUE(first.UntilEnd());
  ASSERT_TRUE(second.UntilRest());
  EXPECT_EQ(second.state(), first.state());
}

// Each read ends before the log does, and deadlines are kept all the same.
TEST_F(RunnerTurnsTest, AFloodHoldsUpNoDeadline) {
  TestTask::Options options = {.harness = Harness::kCodex,
                               .script = "flood 1000000 2000\nhang",
                               .max_read = 4096};
  options.request.timeouts.turn = absl::Minutes(1);
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
  task.clock().Advance(absl::Seconds(61));
  ASSERT_TRUE(task.Until(
      [&] { return task.state().ending.kind == Ending::Kind::kFailure; }));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().error, "the turn deadline of 1m passed (timeout)");
}

TEST_F(RunnerTurnsTest, NotesWaitForTheLockWithoutBlocking) {
  TestTask task(&home_, {.harness = Harness::kCodex, .script = "say A.\nok"});
  ASSERT_TRUE(task.UntilEnd());
  SystemClock clock;
  std::optional<relay::LogWriter> log;
  ASSERT_TRUE(task.Until([&] {
    auto taken = relay::LogWriter::Open(task.runner().folder().fd.get(),
                                        task.runner().folder().id, &clock);
    if (taken.ok()) log = *std::move(taken);
    return log.has_value();
  }));
  const absl::Time before = absl::Now();
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  EXPECT_LT(absl::Now() - before, absl::Milliseconds(500));
  EXPECT_FALSE(task.runner().settled());
  EXPECT_FALSE(task.runner().at_rest());
  ASSERT_TRUE(task.Until(
      [&] { return task.runner().wake_at() != absl::InfiniteFuture(); }));
  EXPECT_FALSE(task.runner().settled());
  log.reset();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_TRUE(task.runner().settled());
  EXPECT_EQ(task.state().turns, 2);
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
}

// `codex exec` has said its last word and exits a moment later.
}  // namespace
}  // namespace troika
