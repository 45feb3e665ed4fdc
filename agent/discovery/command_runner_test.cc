#include "agent/discovery/command_runner.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

class CommandRunnerTest : public testing::Test {
 protected:
  absl::StatusOr<std::string> Run(absl::string_view script,
                                  absl::Duration deadline = absl::Seconds(20)) {
    folder_.WriteProgram("program", script);
    return ProcessRunner().Run(
        {.argv = {folder_.Path("program"), "an argument"},
         .env = Environment({{"PATH", "/usr/bin:/bin"}, {"NAME", "value"}}),
         .deadline = deadline});
  }

  TempFolder folder_;
};

TEST_F(CommandRunnerTest, GivesWhatIsPrinted) {
  const absl::StatusOr<std::string> output =
      Run("echo \"$1, $NAME\"; echo to stderr >&2; cat");
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(*output, "an argument, value\n");
}

TEST_F(CommandRunnerTest, EndsACommandAfterItsLastLine) {
  const auto ask = [&](absl::string_view script, absl::Duration deadline) {
    folder_.WriteProgram("program", script);
    return ProcessRunner().Run({.argv = {folder_.Path("program")},
                                .env = Environment({{"PATH", "/usr/bin:/bin"}}),
                                .deadline = deadline,
                                .input = "one\ntwo\n",
                                .last_line_has = "reply"});
  };
  // Its stdin stays open.
  const auto line = ask("read a; read b; echo x; echo reply $a $b; cat; exit 3",
                        absl::Seconds(20));
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(*line, "reply one two");
  EXPECT_EQ(ask("printf 'reply\n'", absl::Seconds(20)).value_or(""), "reply");
  EXPECT_EQ(ask("yes x | head -c 3000000; echo reply; cat", absl::Seconds(20))
                .value_or(""),
            "reply");
  EXPECT_TRUE(absl::IsFailedPrecondition(
      ask("printf reply", absl::Seconds(20)).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      ask("printf reply; sleep 9", absl::Milliseconds(100)).status()));
}

TEST_F(CommandRunnerTest, InputOfAnySizeMayEnd) {
  folder_.WriteProgram("program", "cat | wc -c");
  const auto output =
      ProcessRunner().Run({.argv = {folder_.Path("program")},
                           .env = Environment({{"PATH", "/usr/bin:/bin"}}),
                           .deadline = absl::Seconds(20),
                           .input = std::string(300000, 'x'),
                           .input_end = Command::InputEnd::kEnds});
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(*output, "300000\n");
}

TEST_F(CommandRunnerTest, FailuresSayWhatWasRun) {
  const std::string program = folder_.Path("program");
  EXPECT_EQ(Run("echo 1.2.3; exit 3").status(),
            absl::FailedPreconditionError(
                absl::StrCat("run ", program,
                             " an argument: exited with code 3; check that it "
                             "works by hand")));
  EXPECT_EQ(Run("kill -9 $$").status(),
            absl::FailedPreconditionError(
                absl::StrCat("run ", program,
                             " an argument: ended by signal 9; check that it "
                             "works by hand")));
  EXPECT_EQ(
      ProcessRunner()
          .Run({.argv = {"/no/such"}, .deadline = absl::Seconds(20)})
          .status(),
      absl::FailedPreconditionError("run /no/such: No such file or directory"));
}

TEST_F(CommandRunnerTest, AnErrorMayEndWithTheOutput) {
  folder_.WriteProgram("program", "echo out; echo err >&2; exit $1");
  const std::string program = folder_.Path("program");
  Command command = {
      .argv = {program, "1"},
      .env = Environment(Environment::Map{{"PATH", "/usr/bin:/bin"}}),
      .deadline = absl::Seconds(20),
      .stderr_mode = Command::Stderr::kInError};
  EXPECT_EQ(ProcessRunner().Run(command).status(),
            absl::FailedPreconditionError(
                absl::StrCat("run ", program,
                             " 1: exited with code 1; check that it works by "
                             "hand:\nout\nerr\n")));
}

TEST_F(CommandRunnerTest, CancellingEndsWhatRunsAndWhatComes) {
  // In a child process, because cancelling can't be undone.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::thread runs([&] {
      const auto output =
          Run("echo > \"$0.runs\"; sleep 300", absl::Seconds(200));
      if (!absl::IsCancelled(output.status())) _exit(1);
    });
    while (access(folder_.Path("program.runs").c_str(), F_OK) != 0) {
      absl::SleepFor(absl::Milliseconds(1));
    }
    CancelCommands();
    runs.join();
    const auto later = ProcessRunner().Run(
        {.argv = {folder_.Path("program")}, .deadline = absl::Seconds(200)});
    _exit(absl::IsCancelled(later.status()) ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(CommandRunnerTest, ADeadlineEndsTheWholeGroup) {
  const absl::StatusOr<std::string> output =
      Run("sleep 300 & echo $! > \"$0.pid\"; sleep 300", absl::Seconds(1));
  EXPECT_EQ(output.status(),
            absl::DeadlineExceededError(absl::StrCat(
                "run ", folder_.Path("program"),
                " an argument: took longer than 1s; check that it works by "
                "hand")));
  int child = 0;
  ASSERT_TRUE(absl::SimpleAtoi(folder_.Read("program.pid"), &child));
  // The process was killed, but its new parent may not have reaped it yet.
  for (int i = 0; i < 100 && kill(child, 0) == 0; ++i) {
    const std::string status = absl::StrCat("/proc/", child, "/stat");
    std::ifstream file(status);
    std::string stat((std::istreambuf_iterator<char>(file)), {});
    if (stat.find(") Z ") != std::string::npos) break;
    absl::SleepFor(absl::Milliseconds(20));
    ASSERT_LT(i, 99) << stat;
  }
}

TEST_F(CommandRunnerTest, DoesNotWaitForWhoHoldsThePipe) {
  const absl::Time start = absl::Now();
  const absl::StatusOr<std::string> output = Run("sleep 300 & echo 1.2.3");
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(*output, "1.2.3\n");
  EXPECT_LT(absl::Now() - start, absl::Seconds(15));
}

TEST_F(CommandRunnerTest, OutputHasAnEnd) {
  const absl::StatusOr<std::string> output = Run("head -c 5000000 /dev/zero");
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_EQ(output->size(), ProcessRunner::kMaxOutputBytes);
}

}  // namespace
}  // namespace troika
