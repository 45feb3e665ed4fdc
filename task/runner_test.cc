// Tasks on fake CLIs, through the real relay.
#include "task/runner.h"

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class EveryHarness : public ::testing::TestWithParam<Harness> {
 protected:
  TestTask::Options Script(absl::string_view script) const {
    return {.harness = GetParam(), .script = std::string(script)};
  }
  // Nothing of the task is left running.
  void ExpectNoProcess() const {
    EXPECT_TRUE(relay::NoProcessesWith(absl::StrCat("tag:", home_.path())));
    EXPECT_THAT(relay::ProcessesWith(home_.path()), IsEmpty());
  }

  void TearDown() override {
    EXPECT_EQ(OpenDescriptors(), descriptors_) << "descriptors were leaked";
  }

  TestHome home_;
  const int descriptors_ = OpenDescriptors();

 private:
  // But for those of home_, which lives as long as the test.
  int OpenDescriptors() const {
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const auto target = std::filesystem::read_symlink(entry.path(), error);
      count += !absl::StrContains(target.string(), home_.path());
    }
    return count;
  }
};

INSTANTIATE_TEST_SUITE_P(All, EveryHarness,
                         ::testing::Values(Harness::kCodex, Harness::kClaude,
                                           Harness::kGemini),
                         [](const auto& info) {
                           return std::string(HarnessId(info.param));
                         });

TEST_P(EveryHarness, GoodTurnIsDone) {
  TestTask task(&home_, Script("say Hello.\nusage 100 20 7\nok"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone);
  EXPECT_EQ(task.state().turns, 1);
  EXPECT_EQ(task.state().usage.output, 7);
  EXPECT_THAT(task.state().session_id, ::testing::Not(IsEmpty()));
  EXPECT_EQ(task.Answer(), "Hello.");
  const auto inputs = task.All<UserInput>();
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(inputs[0].text, "do it");
  EXPECT_THAT(task.All<Result>(), SizeIs(1));
  ExpectNoProcess();
}

TEST_P(EveryHarness, FollowUpGoesOnInTheSameSession) {
  TestTask task(&home_, Script("== turn 1\nsay One.\nok\n"
                               "== turn 2\nsay Two.\nok\n"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  const std::string session = task.state().session_id;
  ASSERT_TRUE(task.runner().Input({.prompt = "go on"}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().turns, 2);
  EXPECT_EQ(task.state().generation, 2);
  EXPECT_EQ(task.state().session_id, session);
  EXPECT_EQ(task.Answer(), "Two.");
}

TEST_P(EveryHarness, AnotherRunnerTakesUpATask) {
  TestTask first(&home_, Script("say One.\nsleep 300\nsay Two.\nok"));
  ASSERT_TRUE(first.created().ok()) << first.created();
  ASSERT_TRUE(first.UntilStatus(TaskStatus::kRunning));
  const std::string id = first.runner().folder().id;
  TestTask second(&home_, id);
  ASSERT_TRUE(second.UntilStatus(TaskStatus::kRunning));
  // The first one drives.
  ASSERT_TRUE(second.Until([&] { return second.runner().role().has_value(); }));
  EXPECT_THAT(second.runner().Stop("user", "").message(),
              HasSubstr("another troika drives task"));
  ASSERT_TRUE(first.UntilEnd());
  ASSERT_TRUE(second.UntilRest());
  EXPECT_EQ(second.state(), first.state());
}

TEST_P(EveryHarness, InterruptEndsTheTurn) {
  TestTask task(&home_, Script("say Wait.\nstart-run sleep 100\nhang"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.Until([&] { return !task.All<ToolUse>().empty(); }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_EQ(task.state().error, "interrupted by user");
  EXPECT_THAT(task.All<ToolResult>(), SizeIs(1));
  EXPECT_THAT(task.All<Result>(), SizeIs(1));
  ExpectNoProcess();
}

TEST_P(EveryHarness, StopEndsWhatIgnoresEverything) {
  TestTask task(&home_,
                Script("ignore INT\nignore TERM\nsay Never.\n"
                       "fork-sleeper setsid double 1000\nsay Ready.\nhang"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.Until([&] {
    return task.All<Text>().size() > 1 || task.All<TextDelta>().size() > 1;
  }));
  ASSERT_TRUE(task.runner().Stop("user", "enough").ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  EXPECT_EQ(task.state().error, "interrupted by user: enough");
  EXPECT_EQ(task.state().signal, 9);
  ExpectNoProcess();
}

TEST_P(EveryHarness, CrashIsFailed) {
  TestTask task(&home_,
                Script("start-run make\nstderr something bad\nkill-self KILL"));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_THAT(task.state().error, HasSubstr("killed by signal 9"));
  EXPECT_THAT(task.state().error, HasSubstr("something bad"));
  const auto results = task.All<ToolResult>();
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_TRUE(results[0].synthetic);
}

// The npm packages start their program as a child of a launcher.
TEST_P(EveryHarness, ProgramBelowAKilledLauncherIsEnded) {
  TestTask task(&home_, Script("wrapper\nsay A.\nstart-run make\n"
                               "fork-sleeper setsid double 1000\nhang"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.Until([&] { return !task.All<ToolUse>().empty(); }));
  const int guard =
      relay::RelayProcess(task.runner().folder().path, "troika-guard");
  const std::string children =
      ReadWhole(absl::StrCat("/proc/", guard, "/task/", guard, "/children"));
  int launcher = 0;
  ASSERT_TRUE(
      absl::SimpleAtoi(children.substr(0, children.find(' ')), &launcher));
  kill(launcher, SIGKILL);
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_THAT(task.state().error, HasSubstr("killed by signal 9"));
  EXPECT_THAT(task.All<ToolResult>(), SizeIs(1));
  EXPECT_THAT(task.All<Result>(), SizeIs(1));
  ExpectNoProcess();
}

TEST_P(EveryHarness, InterruptReachesTheProgramBelowALauncher) {
  TestTask task(&home_, Script("wrapper\nsay A.\nstart-run make\nhang"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.Until([&] { return !task.All<ToolUse>().empty(); }));
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
  ExpectNoProcess();
}

TEST_P(EveryHarness, ExitWithoutResultIsFailed) {
  TestTask task(&home_, Script("say Half.\nexit 0"));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_THAT(task.state().error, HasSubstr("exited with code 0"));
}

TEST_P(EveryHarness, ErrorsHaveHints) {
  TestTask task(
      &home_, Script("stderr Error: 401 Unauthorized: not logged in\nexit 1"));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_THAT(task.state().error, HasSubstr("exited with code 1"));
  EXPECT_THAT(task.state().hint, ::testing::Not(IsEmpty()));
}

TEST_P(EveryHarness, LeftoversAreEndedAndNamed) {
  TestTask task(&home_, Script("say A.\nfork-sleeper setsid 1000\n"
                               "fork-sleeper setsid double hold-stdout 1000\n"
                               "say B.\nok"));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  ExpectNoProcess();
  bool named = false;
  for (const Lifecycle& event : task.All<Lifecycle>()) {
    named |= event.kind == Lifecycle::Kind::kLeftover;
  }
  EXPECT_TRUE(named);
}

TEST_P(EveryHarness, PromptsArriveIntact) {
  std::string big(2 << 20, 'p');
  for (size_t i = 777; i < big.size(); i += 7777) big[i] = '\n';
  for (const std::string& prompt :
       {std::string("-starts with a dash"), std::string("--help"),
        std::string("two\nlines\n"), std::string("ümläut \"quoted\" \\"),
        big}) {
    TestTask::Options options =
        Script(absl::StrCat("dump-stdin ", home_.path(), "/got\nsay Ok.\nok"));
    options.request.prompt = prompt;
    TestTask task(&home_, std::move(options));
    ASSERT_TRUE(task.created().ok()) << task.created();
    ASSERT_TRUE(task.UntilEnd());
    EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
    if (GetParam() == Harness::kClaude) {
      const auto inputs = task.All<UserInput>();
      ASSERT_THAT(inputs, SizeIs(1));
      EXPECT_TRUE(inputs[0].text == prompt);
    } else {
      EXPECT_TRUE(ReadWhole(home_.path() + "/got") == prompt);
    }
  }
}

TEST_P(EveryHarness, OwnConfigurationIsLeftAlone) {
  const std::string home = home_.path() + "/home";
  for (const char* name : {".codex", ".claude", ".gemini"}) {
    std::filesystem::create_directories(absl::StrCat(home, "/", name));
    std::ofstream(absl::StrCat(home, "/", name, "/settings")) << "mine";
  }
  const auto snapshot = [&] {
    std::string all;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(home)) {
      absl::StrAppend(&all, entry.path().string(), "\n");
      if (entry.is_regular_file()) {
        absl::StrAppend(&all, ReadWhole(entry.path().string()), "\n");
      }
    }
    return all;
  };
  const std::string before = snapshot();
  TestTask task(&home_, Script("say Hi.\nok"));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(snapshot(), before);
}

TEST_P(EveryHarness, DeadlinesEndTheTask) {
  const struct {
    absl::string_view which;
    absl::string_view script;
    notes::Timeouts timeouts;
  } cases[] = {
      {"start", "== start\nhang\n== turn 1\nok", {.start = absl::Minutes(1)}},
      {"idle", "say A.\nhang", {.idle = absl::Minutes(1)}},
      {"turn", "say A.\nhang", {.turn = absl::Minutes(1)}},
      {"task", "say A.\nhang", {.task = absl::Minutes(1)}},
  };
  for (const auto& c : cases) {
    TestTask::Options options = Script(c.script);
    options.request.timeouts = c.timeouts;
    TestTask task(&home_, std::move(options));
    ASSERT_TRUE(task.created().ok()) << task.created();
    const bool starts = c.which == "start";
    ASSERT_TRUE(task.Until([&] {
      // The relay's clock is known once it has welcomed us.
      return task.runner().role().has_value() &&
             (starts ? task.state().process_alive
                     : task.state().status == TaskStatus::kRunning);
    }));
    task.clock().Advance(absl::Seconds(59));
    task.clock().Advance(absl::Seconds(2));
    ASSERT_TRUE(task.UntilEnd()) << c.which;
    EXPECT_EQ(task.state().status, TaskStatus::kFailed);
    EXPECT_EQ(
        task.state().error,
        absl::StrCat("the ", c.which, " deadline of 1m passed (timeout)"));
  }
  ExpectNoProcess();
}

TEST_P(EveryHarness, AToolThatTakesTooLongFailsTheTurnAndIsNamed) {
  TestTask::Options options = Script("say A.\nstart-run sleep 99\nhang");
  options.request.timeouts.tool = absl::Minutes(1);
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.Until([&] {
    return task.runner().role().has_value() && !task.state().open_tools.empty();
  }));
  task.clock().Advance(absl::Seconds(59));
  task.clock().Advance(absl::Seconds(2));
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_EQ(task.state().error,
            "the tool deadline of 1m passed: the tool Bash took longer "
            "(timeout)");
  EXPECT_THAT(task.All<Text>(), SizeIs(1));
  ExpectNoProcess();
}

TEST_P(EveryHarness, AnAgentThatPrintsTooMuchIsEnded) {
  TestTask::Options options = Script("say A.\nflood 2000 100\nhang");
  options.request.output_limit_bytes = 100000;
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_EQ(task.state().error,
            "the agent has printed more than the limit of 100000 bytes "
            "(output_limit_bytes)");
  EXPECT_EQ(task.state().outcome, TurnOutcome::kFailed);
  ExpectNoProcess();
}

TEST_P(EveryHarness, OutputUpToTheLimitIsTaken) {
  TestTask::Options options = Script("say A.\nok");
  options.request.output_limit_bytes = 100000;
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_GT(task.state().output_bytes, 0);
}

TEST_P(EveryHarness, TheEndOfStderrIsKept) {
  TestTask task(&home_, Script("say A.\nstderr oh no\nexit 3"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().exit_code, 3);
  EXPECT_EQ(task.state().stderr_tail, "oh no");
}

TEST_P(EveryHarness, MissingCliSaysHowToInstallIt) {
  TestTask::Options options = Script("ok");
  const std::string id = absl::AsciiStrToUpper(HarnessId(GetParam()));
  options.env[absl::StrCat("TROIKA_", id, "_BIN")] = "";
  options.env["PATH"] = "/nowhere";
  TestTask task(&home_, std::move(options));
  EXPECT_THAT(task.created().message(), HasSubstr("npm install -g"));
  EXPECT_THAT(home_.home().TaskIds(), IsEmpty());
}

TEST_P(EveryHarness, CliThatVanishesIsAFailedStart) {
  const std::string copy = home_.path() + "/copied_cli";
  std::filesystem::copy_file(FakeProgram(GetParam()), copy);
  TestTask::Options options = Script("== turn 1\nsay A.\nok");
  const std::string id = absl::AsciiStrToUpper(HarnessId(GetParam()));
  options.env[absl::StrCat("TROIKA_", id, "_BIN")] = copy;
  TestTask task(&home_, std::move(options));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  std::filesystem::remove(copy);
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kFailed);
  EXPECT_THAT(task.state().error, HasSubstr("could not be started"));
  EXPECT_THAT(task.state().error, HasSubstr(copy));
}

TEST_P(EveryHarness, GarbageAndFloodsAreTaken) {
  TestTask task(&home_, Script("garbage 2000\nlong-line 3000000\n"
                               "flood 20000 100\npartial cut\nsay End.\nok"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_THAT(task.All<Result>(), SizeIs(1));
}

}  // namespace
}  // namespace troika
