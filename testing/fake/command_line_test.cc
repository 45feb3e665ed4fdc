#include "testing/fake/command_line.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/fake/version.h"

namespace troika::fake {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::variant<CommandLine, Refusal> Read(Harness harness,
                                        absl::string_view version,
                                        absl::string_view args) {
  return ReadCommandLine(harness, *ParseVersion(version),
                         absl::StrSplit(args, ' '));
}

CommandLine Taken(Harness harness, absl::string_view version,
                  absl::string_view args) {
  const std::variant<CommandLine, Refusal> read = Read(harness, version, args);
  const Refusal* const refusal = std::get_if<Refusal>(&read);
  EXPECT_EQ(refusal, nullptr) << args << ": " << refusal->text;
  return refusal ? CommandLine() : std::get<CommandLine>(read);
}

Refusal Refused(Harness harness, absl::string_view version,
                absl::string_view args) {
  const std::variant<CommandLine, Refusal> read = Read(harness, version, args);
  const Refusal* const refusal = std::get_if<Refusal>(&read);
  EXPECT_NE(refusal, nullptr) << args;
  return refusal ? *refusal : Refusal();
}

struct Probe {
  Harness harness;
  absl::string_view flag;
  absl::string_view without;  // A version that lacks the flag.
  absl::string_view with;     // A version that has it.
};

constexpr Probe kProbes[] = {
    {Harness::kCodex, "exec --full-auto", "0.166.0", "0.124.0"},
    {Harness::kCodex, "exec --output-schema f", "0.34.0", "0.63.0"},
    {Harness::kCodex, "exec -o f", "0.34.0", "0.63.0"},
    {Harness::kCodex, "exec --add-dir d", "0.34.0", "0.63.0"},
    {Harness::kCodex, "exec --ephemeral", "0.98.0", "0.124.0"},
    {Harness::kCodex, "exec resume --last p", "0.34.0", "0.63.0"},
    {Harness::kCodex, "exec resume id --json", "0.63.0", "0.166.0"},
    {Harness::kClaude, "--model m", "0.2.126", "1.0.0"},
    {Harness::kClaude, "--input-format stream-json", "1.0.17", "1.0.21"},
    {Harness::kClaude, "--session-id u", "1.0.51", "1.0.53"},
    {Harness::kClaude, "--include-partial-messages", "1.0.60", "2.0.50"},
    {Harness::kClaude, "--fork-session", "1.0.115", "1.0.119"},
    {Harness::kClaude, "--json-schema s", "2.0.42", "2.0.45"},
    {Harness::kClaude, "--effort high", "2.1.36", "2.1.42"},
    {Harness::kGemini, "--resume latest", "0.11.3", "0.20.0"},
    {Harness::kGemini, "--acp", "0.20.0", "0.35.0"},
    {Harness::kGemini, "--skip-trust", "0.35.0", "0.51.0"},
    {Harness::kGemini, "--session-id u", "0.35.0", "0.51.0"},
};

TEST(CommandLineTest, TakesTheFlagsOfItsVersionOnly) {
  for (const Probe& probe : kProbes) {
    SCOPED_TRACE(absl::StrCat(HarnessId(probe.harness), " ", probe.flag));
    Taken(probe.harness, probe.with, probe.flag);
    EXPECT_EQ(Refused(probe.harness, probe.without, probe.flag).exit_code,
              probe.harness == Harness::kCodex ? 2 : 1);
  }
}

TEST(CommandLineTest, CodexRefusesAsClapDoes) {
  const Refusal unknown =
      Refused(Harness::kCodex, "0.166.0", "exec --json --full-auto -");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.text,
              StartsWith("error: unexpected argument '--full-auto' found\n"));
  EXPECT_THAT(unknown.text, HasSubstr("Usage: codex exec [OPTIONS] [PROMPT]"));
  EXPECT_THAT(Refused(Harness::kCodex, "0.166.0", "exec -a never -").text,
              HasSubstr("tip: to pass '-a' as a value, use '-- -a'"));
  EXPECT_THAT(Refused(Harness::kCodex, "0.166.0", "exec -s bogus -").text,
              HasSubstr("error: invalid value 'bogus' for "
                        "'--sandbox <SANDBOX_MODE>'\n  [possible values: "
                        "read-only, workspace-write, danger-full-access]"));
  EXPECT_THAT(Refused(Harness::kCodex, "0.166.0", "exec --model").text,
              HasSubstr("a value is required for '--model <MODEL>'"));
  EXPECT_THAT(Refused(Harness::kCodex, "0.166.0", "exec -m a -m b -").text,
              HasSubstr("cannot be used multiple times"));
  EXPECT_THAT(Refused(Harness::kCodex, "0.166.0", "exec a b").text,
              HasSubstr("unexpected argument 'b' found"));
  EXPECT_THAT(Refused(Harness::kCodex, "0.34.0", "exec resume id").text,
              HasSubstr("unexpected argument 'id' found"));
}

TEST(CommandLineTest, FlagsBelongToCodexSubcommands) {
  EXPECT_EQ(Refused(Harness::kCodex, "0.166.0", "exec resume id -s read-only")
                .exit_code,
            2);
  const CommandLine line = Taken(
      Harness::kCodex, "0.63.0",
      "-a never exec --json -s read-only -c a=1 -c b=2 resume -c c=3 id -");
  EXPECT_EQ(line.subcommand, Subcommand::kResume);
  EXPECT_THAT(line.positionals, ElementsAre("id", "-"));
  EXPECT_EQ(line.Value("--sandbox"), "read-only");
  EXPECT_THAT(line.flags.at("--config"), ElementsAre("a=1", "b=2", "c=3"));
}

TEST(CommandLineTest, ImagesSwallowWhatFollows) {
  const CommandLine line =
      Taken(Harness::kCodex, "0.166.0", "exec -i a.png resume id");
  EXPECT_EQ(line.subcommand, Subcommand::kMain);
  EXPECT_THAT(line.flags.at("--image"), ElementsAre("a.png", "resume", "id"));
}

TEST(CommandLineTest, TakesValuesInAllForms) {
  EXPECT_EQ(Taken(Harness::kCodex, "0.166.0", "exec --sandbox=read-only -")
                .Value("--sandbox"),
            "read-only");
  EXPECT_EQ(Taken(Harness::kCodex, "0.166.0", "exec -sread-only -")
                .Value("--sandbox"),
            "read-only");
  EXPECT_THAT(Taken(Harness::kCodex, "0.166.0", "exec -- --json").positionals,
              ElementsAre("--json"));
  EXPECT_EQ(
      Taken(Harness::kClaude, "2.1.325", "-p --model -x p").Value("--model"),
      "-x");
  const CommandLine resume =
      Taken(Harness::kClaude, "2.1.325", "-p --resume --verbose");
  EXPECT_TRUE(resume.Has("--resume"));
  EXPECT_EQ(resume.Value("--resume"), "");
}

TEST(CommandLineTest, ClaudeRefusesAsCommanderDoes) {
  const Refusal refusal =
      Refused(Harness::kClaude, "1.0.60", "-p --include-partial-messages hi");
  EXPECT_EQ(refusal.exit_code, 1);
  EXPECT_EQ(refusal.text,
            "error: unknown option '--include-partial-messages'\n");
  EXPECT_EQ(Refused(Harness::kClaude, "2.1.325", "--model").text,
            "error: option '--model <model>' argument missing\n");
  EXPECT_THAT(
      Refused(Harness::kClaude, "2.1.325", "--output-format xml").text,
      HasSubstr("argument 'xml' is invalid. Allowed choices are text, json"));
}

TEST(CommandLineTest, GeminiRefusesAsYargsDoes) {
  const Refusal one = Refused(Harness::kGemini, "0.11.3", "--resume x -p hi");
  EXPECT_EQ(one.exit_code, 1);
  EXPECT_THAT(one.text, StartsWith("Unknown argument: resume\nUsage: gemini"));
  EXPECT_THAT(Refused(Harness::kGemini, "0.11.3", "--session-id x").text,
              StartsWith("Unknown arguments: session-id, sessionId\n"));
  EXPECT_THAT(Refused(Harness::kGemini, "0.61.0", "--approval-mode x").text,
              StartsWith("Invalid values:\n  Argument: approval-mode, Given: "
                         "\"x\", Choices: \"default\", "));
  EXPECT_THAT(Refused(Harness::kGemini, "0.61.0", "-p").text,
              StartsWith("Not enough arguments following: prompt"));
}

TEST(CommandLineTest, HelpListsTheFlagsOfItsVersion) {
  const std::string help = HelpText({.harness = Harness::kCodex,
                                     .version = {0, 166, 0},
                                     .subcommand = Subcommand::kMain});
  EXPECT_THAT(help, HasSubstr("-s, --sandbox <SANDBOX_MODE>"));
  EXPECT_THAT(help, Not(HasSubstr("--full-auto")));
  EXPECT_THAT(help, HasSubstr("resume"));
  EXPECT_THAT(HelpText({.harness = Harness::kGemini, .version = {0, 11, 3}}),
              Not(HasSubstr("--resume")));
}

TEST(VersionTest, ReadsAndOrdersVersions) {
  EXPECT_EQ(ParseVersion("0.166"), (Version{0, 166, 0}));
  EXPECT_LT(*ParseVersion("0.98.9"), *ParseVersion("0.124.0"));
  for (const absl::string_view bad : {"", "1", "1.x", "1.2.3.4", "1.-2"}) {
    EXPECT_EQ(ParseVersion(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace troika::fake
