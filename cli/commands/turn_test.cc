#include "cli/commands/turn.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/launch/launch.h"
#include "cli/commands/commands.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::string Error(const std::vector<std::string>& args) {
  const auto options = ReadRunOptions(args);
  return options.ok() ? "" : std::string(options.status().message());
}

TEST(RunOptionsTest, ReadsHarnessAndPrompt) {
  const auto given = ReadRunOptions({"claude", "--model", "m", "do it"});
  ASSERT_TRUE(given.ok());
  EXPECT_EQ(given->request.harness, Harness::kClaude);
  EXPECT_EQ(given->request.options.model, "m");
  EXPECT_EQ(given->turn.prompt.argument, "do it");
  EXPECT_EQ(given->turn.prompt.use_stdin, PromptInput::Stdin::kRead);
  EXPECT_FALSE(ReadRunOptions({"codex"})->turn.prompt.argument.has_value());
  EXPECT_EQ(ReadRunOptions({"codex", "--", "--model"})->turn.prompt.argument,
            "--model");
  EXPECT_EQ(ReadRunOptions({"codex", "--no-stdin", "x"})->turn.prompt.use_stdin,
            PromptInput::Stdin::kSkip);
}

TEST(RunOptionsTest, ReadsWhatIsNoPlainText) {
  const auto options = ReadRunOptions({"codex",
                                       "x",
                                       "--edit-mode",
                                       "auto-edit",
                                       "--label",
                                       "a=b=c",
                                       "--timeout",
                                       "10m",
                                       "--start-timeout=5s",
                                       "--idle-timeout",
                                       "1m",
                                       "--task-timeout",
                                       "1h",
                                       "--image",
                                       "a.png",
                                       "--image",
                                       "b.png",
                                       "--no-web-search",
                                       "--plan-tool",
                                       "--quiet",
                                       "--color",
                                       "never"});
  ASSERT_TRUE(options.ok()) << options.status();
  const TaskRequest& request = options->request;
  EXPECT_EQ(request.options.edit_mode, EditMode::kAutoEdit);
  EXPECT_THAT(request.labels, ElementsAre(Pair("a", "b=c")));
  EXPECT_EQ(request.timeouts.turn, absl::Minutes(10));
  EXPECT_EQ(request.timeouts.start, absl::Seconds(5));
  EXPECT_EQ(request.timeouts.idle, absl::Minutes(1));
  EXPECT_EQ(request.timeouts.task, absl::Hours(1));
  EXPECT_THAT(request.options.images, ElementsAre("a.png", "b.png"));
  EXPECT_EQ(request.options.web_search, false);
  EXPECT_EQ(request.options.plan_tool, true);
  EXPECT_EQ(options->turn.view.output, ViewOptions::Output::kQuiet);
  EXPECT_EQ(options->turn.view.color, ViewOptions::Color::kNever);
}

TEST(RunOptionsTest, NothingIsSetThatWasNotAskedFor) {
  const auto options = ReadRunOptions({"gemini", "x"});
  EXPECT_EQ(options->request.options, LaunchOptions());
  EXPECT_EQ(options->request.timeouts.turn, std::nullopt);
}

// The server knows which agents there are.
TEST(RunOptionsTest, OtherHarnessesAreAgents) {
  for (const char* const agent : {"goose", "acp:goose acp", "acp"}) {
    const auto options = ReadRunOptions({agent, "x"});
    ASSERT_TRUE(options.ok());
    EXPECT_EQ(options->request.harness, Harness::kAcp);
    EXPECT_EQ(options->request.agent, agent);
  }
  EXPECT_EQ(ReadRunOptions({"codex", "x"})->request.agent, "");
}

TEST(RunOptionsTest, ErrorsSayWhatToDo) {
  EXPECT_EQ(Error({}), "a harness is needed: codex, claude, gemini");
  EXPECT_THAT(Error({"codex", "fix", "it"}), HasSubstr("put quotes around it"));
  EXPECT_THAT(Error({"codex", "x", "--edit-mode", "yolo"}),
              HasSubstr("is not one of research, ask, auto_edit"));
  EXPECT_THAT(Error({"codex", "x", "--label", "a"}), HasSubstr("key=value"));
  EXPECT_THAT(Error({"codex", "x", "--timeout", "10"}),
              HasSubstr("is not a duration"));
  EXPECT_THAT(Error({"codex", "x", "--color", "red"}),
              HasSubstr("auto, always, never"));
  EXPECT_THAT(Error({"codex", "x", "--json", "--quiet"}),
              HasSubstr("exclude each other"));
}

// The flags that a line of the help begins with.
std::set<std::string> FlagsOfHelp() {
  std::set<std::string> flags;
  for (absl::string_view line : absl::StrSplit(kRunCommand.help, '\n')) {
    if (!absl::ConsumePrefix(&line, "  ")) continue;
    absl::ConsumePrefix(&line, "-i, ");
    if (!absl::StartsWith(line, "--")) continue;
    flags.emplace(line.substr(0, line.find(' ')));
  }
  return flags;
}

TEST(RunOptionsTest, HelpTellsEveryOptionOfTheBackends) {
  std::set<std::string> flags = FlagsOfHelp();
  for (const std::string& flag : flags) {
    EXPECT_THAT(Error({"codex", "x", flag, "1"}),
                Not(HasSubstr("unknown flag")));
  }
  ForEachField<LaunchOptions>([&](const auto& field) {
    std::string name = absl::StrReplaceAll(field.name, {{"_", "-"}});
    if (name == "images") name = "image";
    if (name == "extra-dirs") name = "add-dir";
    if (name == "acp-command") return;  // The harness names it.
    EXPECT_TRUE(flags.contains(absl::StrCat("--", name))) << name;
  });
}

TEST(TurnFlagsTest, ExcludeEachOther) {
  for (const char* other : {"--json", "--detach"}) {
    TurnFlags turn;
    Flags flags;
    turn.AddTo(&flags);
    ASSERT_TRUE(flags.Parse({"--quiet", other}).ok());
    EXPECT_THAT(std::string(turn.Read({}).status().message()),
                HasSubstr("exclude each other"));
  }
}

}  // namespace
}  // namespace troika::cli
