// What the commands say about themselves, also in docs/cli.md. To write that
// anew: bazel run //cli/commands:commands_test -- --update
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands/commands.h"
#include "cli/timeline/terminal_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kPath[] = "docs/cli.md";

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

TEST(HelpTest, TheDocumentHasTheSameTexts) {
  std::ifstream file(kPath);
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  EXPECT_EQ(text, Document())
      << "If that is right: bazel run //cli/commands:commands_test -- --update";
}

int Update() {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    std::cerr
        << "run it with: bazel run //cli/commands:commands_test -- --update\n";
    return 2;
  }
  std::ofstream(absl::StrCat(workspace, "/", kPath)) << Document();
  return 0;
}

}  // namespace
}  // namespace troika::cli

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc > 1 && std::string(argv[1]) == "--update") {
    return troika::cli::Update();
  }
  return RUN_ALL_TESTS();
}
