#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/commands/commands.h"
#include "cli/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class PolicyCheckTest : public testing::Test {
 protected:
  Outcome Check(std::vector<std::string> args) {
    args.insert(args.begin(), {"policy", "check"});
    return RunWithInput(
        "", [&](const Io& io) { return RunCommand(AllCommands(), args, io); });
  }

  // Writes a file below the test's folder and returns its path.
  std::string Write(const std::string& name, absl::string_view text) {
    dir_.Write(name, text);
    return dir_.Path(name);
  }

  TempFolder dir_;
};

TEST_F(PolicyCheckTest, PrintsTheJsonOfCodex) {
  const std::string file = Write("a.rules",
                                 "prefix_rule(['git'], 'prompt')\n"
                                 "prefix_rule(['git', 'a\"b'], 'forbidden',\n"
                                 "            justification = 'é\\n')\n");
  Outcome outcome = Check({"--rules", file, "git", "a\"b", "--help"});
  EXPECT_EQ(outcome.exit_code, kExitOk);
  EXPECT_EQ(outcome.out,
            R"({"matchedRules":[{"prefixRuleMatch":{"matchedPrefix":["git"],)"
            R"("decision":"prompt"}},{"prefixRuleMatch":{"matchedPrefix":)"
            R"(["git","a\"b"],"decision":"forbidden","justification":"é\n"}}],)"
            R"("decision":"forbidden"})"
            "\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(Check({"-r", file, "--", "ls"}).out, "{\"matchedRules\":[]}\n");
  EXPECT_EQ(Check({absl::StrCat("--rules=", file), "/bin/git"}).out,
            "{\"matchedRules\":[]}\n");
  EXPECT_THAT(
      Check({"-r", file, "--resolve-host-executables", "/bin/git"}).out,
      HasSubstr(R"("decision":"prompt","resolvedProgram":"/bin/git"})"));
  // With --rules, a shell line is a word.
  EXPECT_EQ(Check({"-r", file, "git status"}).out, "{\"matchedRules\":[]}\n");
}

TEST_F(PolicyCheckTest, ABrokenFileIsAnError) {
  const std::string file = Write("a.rules", "\nprefix_rule()\n");
  Outcome outcome = Check({"--rules", file, "git"});
  EXPECT_EQ(outcome.exit_code, kExitFailure);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err,
              HasSubstr("a.rules:2:1: prefix_rule needs `pattern`"));
  outcome = Check({"--rules", dir_.path() + "/none", "git"});
  EXPECT_EQ(outcome.exit_code, kExitFailure);
  EXPECT_THAT(outcome.err, HasSubstr("none"));
}

TEST_F(PolicyCheckTest, WrongCommandLines) {
  EXPECT_EQ(Check({}).exit_code, kExitUsage);
  EXPECT_EQ(Check({"--rules"}).exit_code, kExitUsage);
  EXPECT_EQ(Check({"--rules", "x"}).exit_code, kExitUsage);
  EXPECT_THAT(Check({"--rule", "x", "y"}).err, HasSubstr("unknown flag"));
  EXPECT_THAT(Check({"--help"}).out, StartsWith("usage: troika policy check"));
}

TEST_F(PolicyCheckTest, UsersRulesDecideOnShellLines) {
  setenv("TROIKA_HOME", dir_.path().c_str(), /*overwrite=*/1);
  EXPECT_EQ(Check({"git", "status"}).out, "{\"matchedRules\":[]}\n");
  Write("policy/a.rules", "prefix_rule(['git', 'status'])\n");
  Write("policy/b.rules", "prefix_rule(['git', 'push'], 'forbidden')\n");
  Write("policy/other", "broken");
  Outcome outcome = Check({"git status && git push"});
  EXPECT_EQ(outcome.exit_code, kExitOk);
  EXPECT_THAT(outcome.out, HasSubstr("\"decision\":\"forbidden\""));
  EXPECT_THAT(outcome.err, HasSubstr("policy/b.rules:1: prefix_rule("));
  EXPECT_THAT(Check({"bash", "-lc", "git status"}).out,
              HasSubstr("\"decision\":\"allow\""));
  outcome = Check({"git status > x"});
  EXPECT_EQ(outcome.out, "{\"matchedRules\":[]}\n");
  EXPECT_THAT(outcome.err,
              HasSubstr("a person is asked: it redirects input or output"));
  Write("policy/c.rules", "x\n");
  EXPECT_EQ(Check({"git", "status"}).exit_code, kExitFailure);
  unsetenv("TROIKA_HOME");
}

}  // namespace
}  // namespace troika::cli
