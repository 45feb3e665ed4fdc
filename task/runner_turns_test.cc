// What differs between harnesses, and what happens between turns: on fake CLIs,
// through the real relay.
#include <fstream>
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

using relay::ReadWhole;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RunnerTurnsTest : public ::testing::Test {
 protected:
  TestHome home_;
};

TEST_F(RunnerTurnsTest, InputWhileATurnRunsIsAnErrorThatSaysWhatToDo) {
  for (const Harness harness : {Harness::kCodex, Harness::kGemini}) {
    TestTask task(&home_, {.harness = harness, .script = "say A.\nhang"});
    ASSERT_TRUE(task.UntilStatus(TaskStatus::kRunning));
    EXPECT_THAT(task.runner().Input("more", {}, "user").message(),
                HasSubstr("takes no input while a turn runs: wait for its end, "
                          "or interrupt it first"));
    ASSERT_TRUE(task.runner().Stop("user", "").ok());
    ASSERT_TRUE(task.UntilEnd());
  }
}

TEST_F(RunnerTurnsTest, ClaudeTakesSeveralTurnsInOneProcess) {
  TestTask task(&home_, {.harness = Harness::kClaude,
                         .script = "== turn 1\nsay One.\nok\n"
                                   "== turn 2\nsay Two.\nok\n"});
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(task.runner().Input("go on", {}, "user").ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  EXPECT_EQ(task.state().generation, 1);
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone);
}

TEST_F(RunnerTurnsTest, ClaudeGoesOnAfterAnInterrupt) {
  TestTask task(&home_, {.harness = Harness::kClaude,
                         .script = "== turn 1\nsay One.\nhang\n"
                                   "== turn 2\nsay Two.\nok\n"});
  ASSERT_TRUE(task.Until([&] { return !task.All<Text>().empty(); }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  ASSERT_TRUE(task.runner().Input("go on", {}, "user").ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Result>().size() == 2; }));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().generation, 1);
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
  ASSERT_TRUE(task.runner().Input("more", {}, "user").ok());
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
  ASSERT_TRUE(task.runner().Input("more", {second}, "user").ok());
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

TEST_F(RunnerTurnsTest, OldLastMessageFileIsNoAnswer) {
  const std::string file = home_.path() + "/last";
  std::ofstream(file) << "of another run";
  TestTask::Options options = {.script = "exit 3"};
  options.request.options.last_message_file = file;
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.runner().Answer(), "");
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
  ASSERT_TRUE(task.runner().Input("more", {}, "user").ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  const std::string args = ReadWhole(home_.path() + "/args");
  EXPECT_THAT(args, HasSubstr("gpt-5.5"));
  EXPECT_THAT(args, HasSubstr("workspace-write"));
  EXPECT_THAT(args, HasSubstr("resume"));
}

}  // namespace
}  // namespace troika
