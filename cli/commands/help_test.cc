// The help of all commands, which docs/cli.md has.
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands/commands.h"
#include "cli/io.h"
#include "cli/timeline/terminal_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "re2/re2.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

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

std::set<std::string> Matches(absl::string_view text, const char* pattern) {
  std::set<std::string> all;
  re2::StringPiece rest(text.data(), text.size());
  for (std::string one; RE2::FindAndConsume(&rest, pattern, &one);) {
    all.insert(one);
  }
  return all;
}

TEST(HelpTest, ServeHasTheFlagsOfTheServer) {
  std::string source;
  for (const char* file : {"server/options.cc", "task/budget_flags.cc"}) {
    source += *ReadFile(file, /*max_bytes=*/1 << 20);
  }
  std::set<std::string> flags =
      Matches(source, "flags(?:\\.|->)Add\\(\"([a-z-]+)\"");
  // For servers that start by themselves.
  for (const char* name : {"auto", "idle-exit", "ready-fd"}) {
    EXPECT_EQ(flags.erase(name), 1u) << name;
  }
  EXPECT_EQ(Matches(kServeCommand.help, "\n  --([a-z-]+)"), flags);
}

}  // namespace
}  // namespace troika::cli
