// Tasks of Codex that go from one wire to the other: on a fake CLI, through the
// real relay.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/inputs.h"
#include "task/runner.h"
#include "task/runner_testing.h"
#include "task/watchdog.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

constexpr absl::string_view kTwoTurns =
    "say Two.\nok\n== turn 1\nsay One.\nhang";

class RunnerWiresTest : public ::testing::Test {
 protected:
  RunnerWiresTest() {
    std::filesystem::create_directory(home_.cwd() + "/.git");
  }

  static TestTask::Options Script(absl::string_view script) {
    TestTask::Options options = {.harness = Harness::kCodex,
                                 .script = std::string(script)};
    options.request.options.edit_mode = EditMode::kFullAuto;
    return options;
  }
  // A Codex whose app-server says nothing.
  std::string SilentAppServer() const {
    std::string path = home_.path() + "/codex";
    std::ofstream(path)
        << "#!/bin/sh\n[ \"$1\" = app-server ] && exec sleep 999\n"
        << "exec " << FakeProgram(Harness::kCodex) << " \"$@\"\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  static bool UntilItSpeaks(TestTask& task) {
    return task.Until([&] {
      return !task.All<Text>().empty() && !task.state().session_id.empty();
    });
  }
  static bool HasNotice(const TestTask& task, absl::string_view text) {
    for (const Notice& notice : task.All<Notice>()) {
      if (absl::StrContains(notice.text, text)) return true;
    }
    return false;
  }

  TestHome home_;
};

TEST_F(RunnerWiresTest, ASteerMovesATaskToAppServer) {
  TestTask task(&home_, Script(kTwoTurns));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(UntilItSpeaks(task));
  EXPECT_EQ(task.state().wire, Wire::kExec);
  const std::string session = task.state().session_id;
  std::string id;
  const TurnRequest steer = {.prompt = "otherwise", .mode = InputMode::kSteer};
  ASSERT_TRUE(task.runner().Input(steer, &id).ok());
  ASSERT_TRUE(task.Until([&] { return task.Answer() == "Two."; }));
  EXPECT_EQ(task.state().wire, Wire::kAppServer);
  EXPECT_EQ(task.state().session_id, session);
  EXPECT_EQ(task.state().status, TaskStatus::kIdle);
  EXPECT_EQ(FindInput(task.state(), id)->receipt.state,
            Receipt::State::kDelivered);
  // Later processes stay there.
  ASSERT_TRUE(task.UntilEnd());
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.state().generation == 3; }));
  EXPECT_EQ(task.state().wire, Wire::kAppServer);
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerWiresTest, ASessionThatIsNotKeptIsNotMoved) {
  TestTask::Options options = Script(kTwoTurns);
  options.request.options.ephemeral = true;
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(UntilItSpeaks(task));
  EXPECT_FALSE(task.runner()
                   .Input({.prompt = "otherwise", .mode = InputMode::kSteer})
                   .ok());
  ASSERT_TRUE(task.runner().Stop("user", "", absl::Milliseconds(50)).ok());
  ASSERT_TRUE(task.UntilRest());
}

TEST_F(RunnerWiresTest, AnInputOfASessionThatCantBeOpenedFails) {
  TestTask::Options options = Script("ok");
  options.request.options.edit_mode = EditMode::kAsk;
  options.request.resume_session = "01234567-89ab-4cde-8f01-23456789abcd";
  options.env["TROIKA_FAKE_STATE"] = home_.path() + "/sessions";
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().outcome, TurnOutcome::kFailed);
  const Receipt& receipt = task.state().inputs.at(0).receipt;
  EXPECT_EQ(receipt.state, Receipt::State::kFailed);
  EXPECT_THAT(receipt.reason, HasSubstr("no rollout found"));
}

TEST_F(RunnerWiresTest, ASteerThatMayNotEndTheTurnIsRefused) {
  TestTask task(&home_, Script(kTwoTurns));
  ASSERT_TRUE(UntilItSpeaks(task));
  EXPECT_THAT(std::string(task.runner()
                              .Input({.prompt = "otherwise",
                                      .mode = InputMode::kSteer,
                                      .may_interrupt = false})
                              .message()),
              HasSubstr("takes no input while a turn runs"));
  ASSERT_TRUE(task.runner().Stop("user", "", absl::Milliseconds(50)).ok());
  ASSERT_TRUE(task.UntilRest());
}

TEST_F(RunnerWiresTest, AWireThatWasChosenStays) {
  TestTask::Options options = Script(kTwoTurns);
  options.request.options.wire = Wire::kExec;
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(UntilItSpeaks(task));
  EXPECT_FALSE(task.runner()
                   .Input({.prompt = "otherwise", .mode = InputMode::kSteer})
                   .ok());
  ASSERT_TRUE(task.runner().Stop("user", "", absl::Milliseconds(50)).ok());
  ASSERT_TRUE(task.UntilRest());
}

TEST_F(RunnerWiresTest, AttachedInputWaitsAndThenMovesTheTask) {
  TestTask task(&home_,
                Script("say One.\nsleep 300\nok\n== turn 2\nsay Two.\nok"));
  ASSERT_TRUE(UntilItSpeaks(task));
  ASSERT_TRUE(
      task.runner().Input({.prompt = "then this", .converses = true}).ok());
  ASSERT_TRUE(task.Until([&] { return task.Answer() == "Two."; }));
  EXPECT_EQ(task.All<Result>()[0].text, "One.");
  EXPECT_EQ(task.state().wire, Wire::kAppServer);
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerWiresTest, OptionsOfExecKeepATaskThere) {
  TestTask::Options options = Script("say One.\nok\n== turn 2\nsay Two.\nok");
  options.request.options.last_message_file = home_.path() + "/last";
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.UntilEnd());
  ASSERT_TRUE(task.runner().Input({.prompt = "more", .converses = true}).ok());
  ASSERT_TRUE(task.Until([&] { return task.Answer() == "Two."; }));
  EXPECT_EQ(task.state().wire, Wire::kExec);
  ASSERT_TRUE(task.UntilEnd());
}

TEST_F(RunnerWiresTest, WithoutAHandshakeATaskThatAsksFails) {
  TestTask::Options options = Script("ok");
  options.request.options.edit_mode = EditMode::kAsk;
  options.env["TROIKA_CODEX_BIN"] = SilentAppServer();
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(
      task.Until([&] { return task.state().waiting_for == kHandshake; }));
  const Alarm alarm = NextAlarm(task.state());
  EXPECT_EQ(alarm.kind, Alarm::Kind::kReply);
  EXPECT_EQ(alarm.timeout, absl::Seconds(5));
  task.clock().Advance(absl::Seconds(6));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_EQ(task.state().error,
            "the initialize reply deadline of 5s passed (timeout)");
}

TEST_F(RunnerWiresTest, WithoutAHandshakeOtherTasksGoOnWithExec) {
  TestTask::Options options = Script("say One.\nok\n== turn 2\nsay Two.\nok");
  options.request.options.interactive = true;
  options.env["TROIKA_CODEX_BIN"] = SilentAppServer();
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(
      task.Until([&] { return task.state().waiting_for == kHandshake; }));
  EXPECT_EQ(task.state().wire, Wire::kAppServer);
  task.clock().Advance(absl::Seconds(6));
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.Answer(), "One.");
  EXPECT_EQ(task.All<Result>().size(), 1u);
  EXPECT_EQ(task.state().wire, Wire::kExec);
  EXPECT_EQ(task.state().generation, 2);
  EXPECT_EQ(task.state().outcome, TurnOutcome::kDone);
  EXPECT_TRUE(HasNotice(task, "did not open its app_server wire"));
  // It is not tried again.
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.Answer(), "Two.");
  EXPECT_EQ(task.state().generation, 3);
}

// However far the turn has come, it is not lost in silence.
TEST_F(RunnerWiresTest, AnInputThatInterruptsATurnBeforeTheHandshake) {
  for (const bool after_deadline : {false, true}) {
    SCOPED_TRACE(after_deadline);
    TestTask::Options options =
        Script("say One.\nok\n== prompt more\nsay Two.\nok");
    options.request.options.interactive = true;
    options.env["TROIKA_CODEX_BIN"] = SilentAppServer();
    TestTask task(&home_, std::move(options));
    ASSERT_TRUE(
        task.Until([&] { return task.state().waiting_for == kHandshake; }));
    if (after_deadline) {
      task.clock().Advance(absl::Seconds(6));
      ASSERT_TRUE(task.Until(
          [&] { return task.state().ending.kind == Ending::Kind::kFailure; }));
    }
    std::string id;
    ASSERT_TRUE(
        task.runner()
            .Input({.prompt = "more", .mode = InputMode::kInterrupt}, &id)
            .ok());
    absl::Time advanced = absl::Now();
    ASSERT_TRUE(task.Until([&] {
      // The agent gets some real time for each second.
      if (absl::Now() - advanced > absl::Milliseconds(50)) {
        task.clock().Advance(absl::Seconds(1));
        advanced = absl::Now();
      }
      const TaskInput* const input = FindInput(task.state(), id);
      return input != nullptr &&
             input->receipt.state == Receipt::State::kDelivered;
    }));
    ASSERT_TRUE(task.UntilRest());
    EXPECT_EQ(task.Answer(), "Two.");
    const Receipt first = task.state().inputs.at(0).receipt;
    EXPECT_NE(first.state, Receipt::State::kQueued);
    if (first.state != Receipt::State::kDelivered) {
      EXPECT_EQ(first.state, Receipt::State::kWithdrawn);
      EXPECT_THAT(first.reason, HasSubstr(id));
    }
    const auto results = task.All<Result>();
    ASSERT_EQ(results.size(), 2u);
    // A turn that goes first may be done before it is interrupted.
    EXPECT_TRUE(results[0].text == "One." ||
                absl::StrContains(results[0].error, id))
        << results[0].error;
    EXPECT_EQ(task.state().outcome, TurnOutcome::kDone);
  }
}

TEST_F(RunnerWiresTest, AnInterruptBeforeTheHandshakeIsTheEnd) {
  TestTask::Options options = Script("ok");
  options.request.options.interactive = true;
  options.env["TROIKA_CODEX_BIN"] = SilentAppServer();
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(
      task.Until([&] { return task.state().waiting_for == kHandshake; }));
  ASSERT_TRUE(task.runner().Stop("user", "", absl::Milliseconds(50)).ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_EQ(task.state().generation, 1);
}

}  // namespace
}  // namespace troika
