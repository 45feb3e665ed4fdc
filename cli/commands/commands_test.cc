#include "cli/commands/commands.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "cli/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;

int Echo(Args args, const Io& io) {
  Print(io, absl::StrJoin(args, "|"));
  return 7;
}

constexpr Command kEcho = {.name = "echo",
                           .summary = "say it again",
                           .help = "usage: troika echo [WORD...]\n",
                           .run = Echo};
constexpr const Command* kCommands[] = {&kEcho};

Outcome Troika(const std::vector<std::string>& args) {
  return RunWithInput(
      "", [&](const Io& io) { return RunCommand(kCommands, args, io); });
}

TEST(CommandTest, RunsWhatIsNamed) {
  const Outcome outcome = Troika({"echo", "a", "--", "--help"});
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_EQ(outcome.out, "a|--|--help");
}

TEST(CommandTest, HelpInEveryForm) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"help", "echo"},
                                             {"--help", "echo"},
                                             {"echo", "--help"},
                                             {"echo", "a", "-h"}}) {
    const Outcome outcome = Troika(args);
    EXPECT_EQ(outcome.exit_code, kExitOk);
    EXPECT_EQ(outcome.out, kEcho.help);
  }
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{
           {"help"}, {"--help"}, {"-h"}, {"help", "help"}}) {
    const Outcome outcome = Troika(args);
    EXPECT_EQ(outcome.exit_code, kExitOk);
    EXPECT_THAT(outcome.out, HasSubstr("echo       say it again"));
  }
}

TEST(CommandTest, FingersMayUseOtherNames) {
  for (const char* name : {"ps", "ls", "logs"}) {
    const Outcome outcome = RunWithInput("", [&](const Io& io) {
      const std::vector<std::string> args = {name, "--help"};
      return RunCommand(AllCommands(), args, io);
    });
    EXPECT_EQ(outcome.exit_code, kExitOk);
    EXPECT_THAT(outcome.out, HasSubstr(absl::string_view(name) == "logs"
                                           ? "usage: troika tail"
                                           : "usage: troika tasks"));
  }
}

TEST(CommandTest, WrongCommandLinesSayWhatToDo) {
  Outcome outcome = Troika({});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("usage: troika COMMAND"));
  outcome = Troika({"ehco"});
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_EQ(outcome.err,
            "troika: unknown command \"ehco\"; did you mean \"echo\"?\n"
            "`troika help` lists the commands\n");
  EXPECT_EQ(Troika({"help", "nothing-like-it"}).exit_code, kExitUsage);
  outcome = RunWithInput(
      "", [](const Io& io) { return UsageError(io, kEcho, "no words"); });
  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_EQ(outcome.err, "troika: no words\n`troika help echo` says more\n");
}

}  // namespace
}  // namespace troika::cli
