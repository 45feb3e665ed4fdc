// What old versions of the CLIs can't do: on fakes, through the real relay.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr absl::string_view kNoResume =
    "Codex CLI 0.34.0 can't go on with a session; update with npm install -g "
    "@openai/codex";

class RunnerVersionsTest : public ::testing::Test {
 protected:
  // Puts a CLI of this version in place, as an update does.
  std::string Install(Harness harness, absl::string_view version) {
    std::string path = absl::StrCat(home_.path(), "/", HarnessId(harness));
    // A new file, so that it is told from the old one.
    const std::string made = path + ".new";
    std::ofstream(made) << "#!/bin/sh\nTROIKA_FAKE_VERSION=" << version
                        << " exec " << FakeProgram(harness) << " \"$@\"\n";
    std::filesystem::permissions(made, std::filesystem::perms::owner_all);
    std::filesystem::rename(made, path);
    return path;
  }

  TestTask::Options With(Harness harness, absl::string_view version,
                         std::string script) {
    const std::string id = absl::AsciiStrToUpper(HarnessId(harness));
    TestTask::Options options = {.harness = harness,
                                 .script = std::move(script)};
    options.env[absl::StrCat("TROIKA_", id, "_BIN")] =
        Install(harness, version);
    return options;
  }

  TestHome home_;
};

TEST_F(RunnerVersionsTest, InputThatNoProcessCouldTakeIsRefusedAtOnce) {
  for (const bool owner_finds_cli : {false, true}) {
    TestTask::Options options = With(Harness::kCodex, "0.34.0", "say A.\nok");
    if (owner_finds_cli) options.may_start = [] { return true; };
    TestTask task(&home_, std::move(options));
    ASSERT_TRUE(task.created().ok()) << task.created();
    ASSERT_TRUE(task.UntilEnd());
    ASSERT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
    const int64_t last_record = task.state().last_record;
    EXPECT_EQ(task.runner().Input({.prompt = "more"}),
              absl::FailedPreconditionError(kNoResume));
    EXPECT_EQ(
        task.runner().Input({.prompt = "more", .images = {"a.png"}}).message(),
        "Codex CLI 0.34.0 can't take images; update with npm install -g "
        "@openai/codex");
    ASSERT_TRUE(task.UntilRest());
    EXPECT_EQ(task.state().last_record, last_record);
  }
}

TEST_F(RunnerVersionsTest, RequestsThatItCantDoMakeNoTask) {
  TestTask::Options options = With(Harness::kCodex, "0.34.0", "ok");
  options.request.resume_session = "0199a213-81c0-7800-8aa1-bbab2a035a53";
  EXPECT_EQ(
      TestTask(&home_, options).created(),
      absl::InvalidArgumentError(absl::StrCat("resume_session: ", kNoResume)));
  options.request.resume_session = "";
  std::ofstream(home_.cwd() + "/a.png") << "\x89PNG\r\n\x1a\n";
  options.request.options.images = {home_.cwd() + "/a.png"};
  EXPECT_THAT(TestTask(&home_, options).created().message(),
              HasSubstr("images: Codex CLI 0.34.0 can't take images; update"));
  EXPECT_THAT(home_.home().TaskIds(), SizeIs(0));
}

// 0.34 does not tell which session it is in.
TEST_F(RunnerVersionsTest, AnUpdateDoesNotBringBackASessionThatNobodyKnows) {
  TestTask task(&home_, With(Harness::kCodex, "0.34.0", "say A.\nok"));
  ASSERT_TRUE(task.UntilEnd());
  Install(Harness::kCodex, "0.166.0");
  EXPECT_EQ(task.runner().Input({.prompt = "more"}),
            absl::FailedPreconditionError(
                absl::StrCat(kNoResume, ", and start a new task")));
}

TEST_F(RunnerVersionsTest, AfterAnUpdateTheSessionGoesOn) {
  TestTask task(&home_, With(Harness::kGemini, "0.13.0", "say A.\nok"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  ASSERT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  const std::string session = task.state().session_id;
  EXPECT_EQ(task.runner().Input({.prompt = "more"}).message(),
            "Gemini CLI 0.13.0 can't go on with a session; update with npm "
            "install -g @google/gemini-cli");
  Install(Harness::kGemini, "0.61.0");
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.UntilEnd());
  EXPECT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  EXPECT_EQ(task.state().session_id, session);
  EXPECT_EQ(task.state().turns, 2);
}

TEST_F(RunnerVersionsTest, ADowngradeIsSeenBeforeTheTurnIsTaken) {
  TestTask task(&home_, With(Harness::kCodex, "0.166.0", "say A.\nok"));
  ASSERT_TRUE(task.UntilEnd());
  // The CLI is asked for its version off the loop: here, for another task.
  TestTask other(&home_, With(Harness::kCodex, "0.34.0", "ok"));
  ASSERT_TRUE(other.created().ok()) << other.created();
  EXPECT_EQ(task.runner().Input({.prompt = "more"}).message(), kNoResume);
}

TEST_F(RunnerVersionsTest, ClaudeBeforeConversationsHasAProcessATurn) {
  TestTask task(&home_, With(Harness::kClaude, "1.0.17",
                             "== turn 1\nsay A.\nok\n== turn 2\nsay B.\nhang"));
  ASSERT_TRUE(task.created().ok()) << task.created();
  ASSERT_TRUE(task.UntilEnd());
  ASSERT_EQ(task.state().status, TaskStatus::kDone) << task.state().error;
  ASSERT_THAT(task.All<UserInput>(), SizeIs(1));
  EXPECT_EQ(task.All<UserInput>()[0].text, "do it");
  EXPECT_THAT(
      task.runner().Input({.prompt = "more", .images = {"a"}}).message(),
      HasSubstr("Claude Code 1.0.17 can't take images; update with"));
  ASSERT_TRUE(task.runner().Input({.prompt = "more"}).ok());
  ASSERT_TRUE(task.Until([&] { return task.All<Text>().size() == 2; }));
  EXPECT_EQ(task.state().generation, 2);
  EXPECT_THAT(task.runner()
                  .Input({.prompt = "and more", .mode = InputMode::kSteer})
                  .message(),
              HasSubstr("Claude Code 1.0.17 takes no input while a turn runs"));
  EXPECT_THAT(task.runner()
                  .Respond({.id = "x", .answer = ApprovalAnswer{.allow = true}})
                  .message(),
              HasSubstr("Claude Code 1.0.17 asks nothing"));
  // It can't be told to end its turn.
  ASSERT_TRUE(task.runner().Interrupt("user", "").ok());
  ASSERT_TRUE(task.UntilRest());
  EXPECT_EQ(task.state().status, TaskStatus::kInterrupted);
}

}  // namespace
}  // namespace troika
