// docs/cli.md has the help of all commands. To rewrite it:
// bazel run //cli/commands:commands_test -- --update
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands/commands.h"
#include "cli/testing.h"
#include "cli/timeline/terminal_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Document() {
  std::string text =
      "# The command line\n\n"
      "`troika help COMMAND` prints these texts. This page is made from them:\n"
      "`bazel run //cli/commands:commands_test -- --update`.\n";
  for (const Command* command : AllCommands()) {
    absl::StrAppend(&text, "\n## troika ", command->name, "\n\n```text\n",
                    command->help, "```\n");
  }
  return text;
}

TEST(HelpTest, IsCompleteAndFitsATerminal) {
  for (const Command* command : AllCommands()) {
    SCOPED_TRACE(command->name);
    EXPECT_THAT(std::string(command->help),
                StartsWith(absl::StrCat("usage: troika ", command->name)));
    EXPECT_TRUE(absl::EndsWith(command->help, "\n"));
    EXPECT_FALSE(absl::EndsWith(command->summary, "."));
    for (const absl::string_view line : absl::StrSplit(command->help, '\n')) {
      EXPECT_LE(DisplayWidth(line), 80u) << line;
    }
  }
}

TEST(HelpTest, CommandsOfTasksTellExitCodesAndExamples) {
  for (const Command* command : AllCommands()) {
    if (command->name == "version") continue;
    EXPECT_THAT(std::string(command->help), HasSubstr("\nExit code: 0"));
    EXPECT_THAT(std::string(command->help), HasSubstr("\nExample"));
  }
}

Goldens AllGoldens() { return {{"docs/cli.md", Document()}}; }

TEST(HelpTest, TheDocumentHasTheSameTexts) { ExpectGoldens(AllGoldens()); }

}  // namespace
}  // namespace troika::cli

int main(int argc, char** argv) {
  return troika::cli::GoldenMain(argc, argv, troika::cli::AllGoldens);
}
