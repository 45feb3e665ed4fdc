#include "agent/discovery/sandbox.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/sandbox_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FakeRunner : public CommandRunner {
 public:
  absl::StatusOr<std::string> Run(const Command& command) override {
    ran.push_back(absl::StrJoin(command.argv, " "));
    EXPECT_EQ(command.stderr_mode, Command::Stderr::kInError);
    return answer;
  }

  absl::StatusOr<std::string> answer = "";
  std::vector<std::string> ran;
};

const std::vector<SandboxProbe>& Probes() {
  static const auto* const kProbes = new std::vector<SandboxProbe>{
      {{0, 34, 0}, {"debug", "landlock"}}, {{0, 63, 0}, {"sandbox"}}};
  return *kProbes;
}

std::string Probe(FakeRunner& runner, absl::string_view version) {
  return ProbeSandbox({.path = "codex", .version = std::string(version)},
                      Probes(), Environment(), absl::Seconds(1), runner);
}

TEST(SandboxTest, EachVersionHasItsCommand) {
  FakeRunner runner;
  EXPECT_EQ(Probe(runner, "0.33.9"), "");
  EXPECT_THAT(runner.ran, IsEmpty());
  Probe(runner, "0.34.0");
  Probe(runner, "0.62.9");
  Probe(runner, "0.63.0");
  Probe(runner, "9.0.0");
  Probe(runner, "");
  EXPECT_THAT(runner.ran,
              ElementsAre("codex debug landlock", "codex debug landlock",
                          "codex sandbox", "codex sandbox", "codex sandbox"));
}

TEST(SandboxTest, TheErrorIsTheSandboxesLine) {
  FakeRunner runner;
  runner.answer = absl::FailedPreconditionError(
      "run codex sandbox: exited with code 1:\nWARNING: no PATH aliases\n"
      "bwrap: Failed to make / slave: Operation not permitted\nmore");
  EXPECT_EQ(Probe(runner, "0.166.0"),
            "bwrap: Failed to make / slave: Operation not permitted");
}

// For example a broken configuration, which is reported when the task fails.
TEST(SandboxTest, OtherFailuresAreNone) {
  FakeRunner runner;
  for (const absl::Status& status :
       {absl::FailedPreconditionError(
            "run codex debug landlock: exited with code 1:\n"
            "Error loading config.toml: unknown variant `x` in sandbox_mode"),
        absl::FailedPreconditionError("run codex: No such file"),
        absl::DeadlineExceededError("run codex: took longer than 20s")}) {
    runner.answer = status;
    EXPECT_EQ(Probe(runner, "0.166.0"), "") << status;
  }
}

TEST(SandboxTest, SurroundingsStayUntilSomethingChanges) {
  TempFolder folder;
  const Environment env({{"PATH", folder.Path("bin")}});
  const std::string before = SandboxSurroundings(env);
  EXPECT_EQ(SandboxSurroundings(env), before);
  folder.WriteProgram("bin/bwrap", "");
  EXPECT_NE(SandboxSurroundings(env), before);
}

TEST(SandboxErrorTest, TheTroubleSaysWhatToDo) {
  EXPECT_EQ(SandboxTrouble("Codex CLI", "bwrap: no"),
            absl::StrCat("Codex CLI can't set up its sandbox here, so the "
                         "agent's commands and edits will fail: bwrap: no; ",
                         kSandboxRemedy));
}

}  // namespace
}  // namespace troika
