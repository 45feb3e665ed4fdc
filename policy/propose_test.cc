#include "policy/propose.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the patterns of the proposals for a shell line, after checking that
// each of them allows it.
std::vector<std::string> Patterns(absl::string_view line) {
  const CommandRequest request = {.line = std::string(line)};
  std::vector<std::string> patterns;
  for (const std::string& text : ProposeRules(request)) {
    const auto rules =
        Rules::Parse({.file = "f", .text = text}, Dialect::kTroika);
    EXPECT_TRUE(rules.ok()) << rules.status();
    if (rules.ok()) EXPECT_TRUE(DecideCommand(*rules, request).allowed());
    const size_t begin = text.find('[');
    patterns.push_back(text.find('\n') == std::string::npos
                           ? text.substr(begin, text.rfind(']') + 1 - begin)
                           : text);
  }
  return patterns;
}

TEST(ProposeRulesTest, NarrowestFirst) {
  EXPECT_THAT(Patterns("git status"), ElementsAre(R"(["git", "status"])"));
  EXPECT_THAT(Patterns("git log -n 5 src"),
              ElementsAre(R"(["git", "log", "-n", "5", "src"])",
                          R"(["git", "log", "-n"])", R"(["git", "log"])"));
  EXPECT_THAT(Patterns("bash -lc 'npm run build'"),
              ElementsAre(R"(["npm", "run", "build"])", R"(["npm", "run"])"));
  EXPECT_THAT(
      Patterns("ls -l src"),
      ElementsAre(R"(["ls", "-l", "src"])", R"(["ls", "-l"])", R"(["ls"])"));
  EXPECT_THAT(Patterns("cat *.txt"), ElementsAre(R"(["cat"])"));
  EXPECT_THAT(Patterns("git diff HEAD~1"), ElementsAre(R"(["git", "diff"])"));
  EXPECT_THAT(Patterns("make"), ElementsAre(R"(["make"])"));
  EXPECT_THAT(Patterns("python3 -m pytest -q"),
              ElementsAre(R"(["python3", "-m", "pytest", "-q"])"));
  EXPECT_THAT(
      Patterns("git commit -m 'a \"b\" \\ \n\té'"),
      ElementsAre(R"(["git", "commit", "-m", "a \"b\" \\ \n\x09é"])",
                  R"(["git", "commit", "-m"])", R"(["git", "commit"])"));
}

TEST(ProposeRulesTest, AnOptionsValueIsNotWhatTheProgramDoes) {
  EXPECT_THAT(Patterns("git -C dir status"),
              ElementsAre(R"(["git", "-C", "dir", "status"])"));
  EXPECT_THAT(
      Patterns("git --no-pager -c a=b log -3"),
      ElementsAre(R"(["git", "--no-pager", "-c", "a=b", "log", "-3"])"));
  EXPECT_THAT(Patterns("git --version"),
              ElementsAre(R"(["git", "--version"])"));
  EXPECT_THAT(Patterns("git -C dir log *.txt"), IsEmpty());
  EXPECT_THAT(Patterns("git -C *"), IsEmpty());
}

TEST(ProposeRulesTest, ARuleForEachCommand) {
  EXPECT_THAT(
      Patterns("git status -s && ls x && ls x"),
      ElementsAre("prefix_rule(pattern = [\"git\", \"status\", \"-s\"], "
                  "decision = \"allow\")\n"
                  "prefix_rule(pattern = [\"ls\", \"x\"], "
                  "decision = \"allow\")",
                  "prefix_rule(pattern = [\"git\", \"status\"], "
                  "decision = \"allow\")\n"
                  "prefix_rule(pattern = [\"ls\"], "
                  "decision = \"allow\")"));
}

TEST(ProposeRulesTest, ShellsAmongCommandsAreOpened) {
  EXPECT_EQ(Patterns("ls && bash -c 'pwd'"), Patterns("ls && pwd"));
  EXPECT_THAT(Patterns("ls && bash -c 'pwd > x'"), IsEmpty());
}

TEST(ProposeRulesTest, NothingThatAllowsFarTooMuch) {
  for (const char* line : {"rm x",
                           "rm -rf build",
                           "sudo ls",
                           "env A=b ls",
                           "xargs ls",
                           "timeout 5 make",
                           "python",
                           "python3 -i",
                           "bash",
                           "bash -x",
                           "node -e",
                           "python3 *.py",
                           "curl https://x.y",
                           "ssh host ls",
                           "find . -name x",
                           "./run.sh",
                           "chmod +x a",
                           "git *",
                           "git",
                           "ls > x",
                           "ls $x",
                           "eval ls",
                           "ls && rm x",
                           "",
                           "mv a b"}) {
    if (std::string(line) == "git") continue;  // Only `git`: it prints help.
    EXPECT_THAT(Patterns(line), IsEmpty()) << line;
  }
}

TEST(ProposeRulesTest, Edits) {
  const EditRequest request = {.paths = {"src/a.cc", "/home/u/p/src/b.cc"},
                               .cwd = "/home/u/p"};
  EXPECT_THAT(ProposeRules(request),
              ElementsAre("edit_rule(paths = [\"/home/u/p/src/a.cc\", "
                          "\"/home/u/p/src/b.cc\"], decision = \"allow\")",
                          "edit_rule(paths = [\"/home/u/p/src/**\"], "
                          "decision = \"allow\")"));
  for (const std::string& text : ProposeRules(request)) {
    const auto rules =
        Rules::Parse({.file = "f", .text = text}, Dialect::kTroika);
    ASSERT_TRUE(rules.ok());
    EXPECT_TRUE(DecideEdit(*rules, request).allowed());
  }
  for (const char* path : {".troika/x.rules", "a*", "a[b]", "a/../b", "", "~/a",
                           " a", "a ", "a\n", "\xC2\xA0/etc/x"}) {
    EXPECT_THAT(ProposeRules(EditRequest{.paths = {path}, .cwd = "/p"}),
                IsEmpty())
        << path;
  }
  EXPECT_THAT(ProposeRules(EditRequest{.paths = {"/x"}, .cwd = "/p"}),
              ElementsAre("edit_rule(paths = [\"/x\"], decision = \"allow\")"));
}

TEST(ProposeRulesTest, Tools) {
  EXPECT_THAT(
      ProposeRules(ToolRequest{.server = "s", .tool = "t"}),
      ElementsAre(
          "tool_rule(server = \"s\", tool = \"t\", decision = \"allow\")",
          "tool_rule(server = \"s\", decision = \"allow\")"));
  EXPECT_THAT(ProposeRules(ToolRequest{.tool = "t"}),
              ElementsAre("tool_rule(tool = \"t\", decision = \"allow\")"));
  EXPECT_THAT(ProposeRules(ToolRequest{.server = "s"}), IsEmpty());
  EXPECT_THAT(ProposeRules(ToolRequest{.tool = "t*"}), IsEmpty());
}

}  // namespace
}  // namespace troika::policy
