// Tests what the fakes do besides the script: prompts, sessions, interrupts.
#include <csignal>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/fake/io.h"
#include "testing/fake/testing.h"

namespace troika::fake {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Harness kHarnesses[] = {Harness::kCodex, Harness::kClaude,
                                  Harness::kGemini};
constexpr char kFirstId[] = "fa4e0000-0000-7000-8000-000000000001";
constexpr char kUnknownId[] = "00000000-0000-4000-8000-000000000099";

TEST(RunTest, SaysItsVersionInTheCliWay) {
  EXPECT_EQ(RunFake({.harness = Harness::kCodex, .args = {"--version"}}).out,
            "codex-cli 0.166.0\n");
  EXPECT_EQ(RunFake({.harness = Harness::kClaude,
                     .args = {"--version"},
                     .version = "2.1.197"})
                .out,
            "2.1.197 (Claude Code)\n");
  EXPECT_EQ(RunFake({.harness = Harness::kGemini,
                     .script = "version 0.20.0",
                     .args = {"--version"}})
                .out,
            "0.20.0\n");
}

TEST(RunTest, RefusesFlagsOnStderrOnly) {
  for (const Harness harness : kHarnesses) {
    const Ended ended = RunFake(
        {.harness = harness, .script = "ok", .args = {"--no-such-flag"}});
    EXPECT_THAT(ended.out, IsEmpty());
    EXPECT_THAT(ended.err, HasSubstr("no-such-flag"));
    EXPECT_EQ(ended.exit_code, harness == Harness::kCodex ? 2 : 1);
  }
}

TEST(RunTest, PromptsArriveWhole) {
  std::string long_prompt(2 << 20, 'p');
  for (const std::string& prompt :
       {std::string("-v --help"), std::string("two\nlines\n"), long_prompt}) {
    for (const Harness harness : kHarnesses) {
      const std::string dump = NewPath("stdin");
      RunFake({.harness = harness,
               .script = absl::StrCat("dump-stdin ", dump, "\nok")},
              prompt);
      EXPECT_TRUE(*ReadFile(dump) == PromptBytes(harness, prompt))
          << HarnessId(harness);
    }
  }
  for (const Harness harness : kHarnesses) {
    const std::string script = "expect-prompt a\\nb\nok";
    EXPECT_EQ(RunFake({.harness = harness, .script = script}, "a\nb").exit_code,
              0);
    const Ended other = RunFake({.harness = harness, .script = script}, "a");
    EXPECT_EQ(other.exit_code, 71);
    EXPECT_THAT(other.err, HasSubstr("line 1: expected the prompt"));
  }
}

TEST(RunTest, AnEmptyPromptIsAnError) {
  const Ended codex = RunFake({.harness = Harness::kCodex, .script = "ok"}, "");
  EXPECT_EQ(codex.exit_code, 1);
  EXPECT_EQ(codex.err, "No prompt provided via stdin.\n");
  EXPECT_EQ(
      RunFake({.harness = Harness::kGemini, .script = "ok"}, "").exit_code, 42);
}

TEST(RunTest, StdinIsAddedToAPromptThatWasGiven) {
  EXPECT_EQ(RunFake({.harness = Harness::kCodex,
                     .script = "expect-prompt P\\n\\n<stdin>\\nx\\n</stdin>",
                     .args = {"exec", "--json", "P"}},
                    "x")
                .exit_code,
            0);
  EXPECT_EQ(RunFake({.harness = Harness::kGemini,
                     .script = "expect-prompt x\\n\\nP",
                     .args = {"-o", "stream-json", "-p", "P"}},
                    "x")
                .exit_code,
            0);
}

TEST(RunTest, DumpsArgumentsAndEnvironment) {
  const std::string args = NewPath("args");
  const std::string env = NewPath("env");
  RunFake({.harness = Harness::kCodex,
           .script = absl::StrCat("dump-args ", args, "\ndump-env ", env),
           .args = {"exec", "--json", "-c", "a=\"b\nc\"", "-"},
           .env = {{"TEST_MARK", "yes"}}});
  EXPECT_EQ(*ReadFile(args), std::string("exec\0--json\0-c\0a=\"b\nc\"\0-\0",
                                         5 + 7 + 3 + 8 + 2));
  const std::string bytes = *ReadFile(env);
  const std::vector<std::string> variables = absl::StrSplit(bytes, '\0');
  EXPECT_THAT(variables, Contains("TEST_MARK=yes"));
}

TEST(RunTest, CodexResumesWhatItKnows) {
  FakeOptions options = {.harness = Harness::kCodex,
                         .script = ReadyScript("two_turns"),
                         .state = NewPath("state")};
  const Ended first = RunFake(options);
  EXPECT_THAT(first.out, AllOf(HasSubstr(kFirstId), HasSubstr("One.")));
  options.args = {"exec", "--json", "resume", kFirstId, "-"};
  const Ended second = RunFake(options);
  EXPECT_THAT(second.out, AllOf(HasSubstr(kFirstId), HasSubstr("Two.")));
  // The thread's total.
  EXPECT_THAT(second.out, HasSubstr("\"input_tokens\":4000,"
                                    "\"cached_input_tokens\":1000,"));
  EXPECT_THAT(RunFake(options).out, HasSubstr("Another one."));
  options.args = {"exec", "--json", "resume", "--last", "-"};
  EXPECT_THAT(RunFake(options).out, HasSubstr(kFirstId));
}

TEST(RunTest, CodexFailsOnAnUnknownIdAndNotOnAName) {
  FakeOptions options = {.harness = Harness::kCodex,
                         .script = "say Hi.\nok",
                         .args = {"exec", "--json", "resume", kUnknownId, "-"},
                         .state = NewPath("state")};
  const Ended unknown = RunFake(options);
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.out, IsEmpty());
  EXPECT_THAT(unknown.err, HasSubstr("no rollout found for thread id"));
  options.args[3] = "my-thread";
  const Ended name = RunFake(options);
  EXPECT_EQ(name.exit_code, 0);
  EXPECT_THAT(name.out,
              AllOf(HasSubstr("thread.started"), Not(HasSubstr("my-thread"))));
}

TEST(RunTest, CodexLeavesItsLastMessage) {
  const std::string file = NewPath("last");
  RunFake({.harness = Harness::kCodex,
           .script = "say First.\nsay Last.\nok",
           .args = {"exec", "--json", "-o", file, "-"}});
  EXPECT_EQ(*ReadFile(file), "Last.");
}

TEST(RunTest, GeminiResumesOrSaysNo) {
  FakeOptions options = {.harness = Harness::kGemini,
                         .script = ReadyScript("two_turns"),
                         .args = {"-o", "stream-json", "--session-id", "s-1"},
                         .state = NewPath("state")};
  EXPECT_THAT(RunFake(options).out,
              AllOf(HasSubstr("\"session_id\":\"s-1\""), HasSubstr("On")));
  options.args = {"-o", "stream-json", "--resume", "latest"};
  EXPECT_THAT(RunFake(options).out, AllOf(HasSubstr("\"session_id\":\"s-1\""),
                                          HasSubstr("echo two")));
  options.args = {"-o", "stream-json", "--resume", kUnknownId};
  const Ended unknown = RunFake(options);
  EXPECT_EQ(unknown.exit_code, 42);
  EXPECT_THAT(unknown.err, HasSubstr("Invalid session identifier"));
}

TEST(RunTest, ClaudeTalksThroughSeveralTurns) {
  RunningFake fake(
      {.harness = Harness::kClaude, .script = ReadyScript("two_turns")});
  fake.Write(PromptBytes(Harness::kClaude, "first"));
  EXPECT_THAT(fake.WaitForLine("\"type\":\"result\""), HasSubstr("One."));
  fake.Write(PromptBytes(Harness::kClaude, "second"));
  EXPECT_THAT(fake.WaitForLine("\"type\":\"result\""), HasSubstr("Two."));
  EXPECT_EQ(fake.Finish().exit_code, 0);
}

TEST(RunTest, ClaudeAnswersRequestsAndEndsATurnOnOne) {
  RunningFake fake({.harness = Harness::kClaude,
                    .script = "start-run sleep 9\nhang\n== turn 2\n"
                              "say Back.\nok"});
  fake.Write(R"({"type":"control_request","request_id":"i",)"
             R"("request":{"subtype":"initialize"}})"
             "\n");
  EXPECT_THAT(fake.WaitForLine("control_response"),
              HasSubstr("\"request_id\":\"i\""));
  fake.Write(PromptBytes(Harness::kClaude, "first"));
  fake.WaitForLine("tool_use");
  fake.Write(R"({"type":"control_request","request_id":"r",)"
             R"("request":{"subtype":"interrupt"}})"
             "\n");
  EXPECT_THAT(fake.WaitForLine("control_response"),
              HasSubstr("\"request_id\":\"r\""));
  EXPECT_THAT(fake.WaitForLine("tool_result"), HasSubstr("\"is_error\":true"));
  EXPECT_THAT(
      fake.WaitForLine("\"type\":\"result\""),
      AllOf(HasSubstr("error_during_execution"), HasSubstr("aborted_tools")));
  fake.Write(PromptBytes(Harness::kClaude, "second"));
  EXPECT_THAT(fake.WaitForLine("\"type\":\"result\""), HasSubstr("Back."));
  EXPECT_EQ(fake.Finish().exit_code, 0);
}

TEST(RunTest, ClaudeRunsWhatAScriptHasForSignalsBetweenTurns) {
  RunningFake fake({.harness = Harness::kClaude,
                    .script = "on USR1\n  say Between.\nend\nok"});
  fake.Write(PromptBytes(Harness::kClaude, "first"));
  fake.WaitForLine("\"type\":\"result\"");
  fake.Signal(SIGUSR1);
  EXPECT_THAT(fake.WaitForLine("Between."), Not(IsEmpty()));
  EXPECT_EQ(fake.Finish().exit_code, 0);
}

TEST(RunTest, ClaudeFoldsAPromptIntoTheTurnThatRuns) {
  RunningFake fake({.harness = Harness::kClaude,
                    .script = "say Wait.\nwait-stdin\nsay Done.\nok"});
  fake.Write(PromptBytes(Harness::kClaude, "first"));
  fake.WaitForLine("Wait.");
  fake.Write(PromptBytes(Harness::kClaude, "and more"));
  fake.WaitForLine("\"type\":\"result\"");
  const Ended ended = fake.Finish();
  EXPECT_THAT(ended.out, Not(HasSubstr("\"result_index\":1")));
  const std::vector<std::string> turns =
      absl::StrSplit(ended.out, "\"subtype\":\"init\"");
  EXPECT_EQ(turns.size(), 2u);  // There is one init and therefore one turn.
}

TEST(RunTest, ClaudeEndsOnALineThatIsNoJson) {
  const Ended ended = [] {
    RunningFake fake({.harness = Harness::kClaude, .script = "ok"});
    fake.Write("this is not json\n");
    return fake.Finish();
  }();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.err, HasSubstr("Error parsing streaming input line: this"));
}

TEST(RunTest, ClaudeKnowsItsSessions) {
  FakeOptions options = {.harness = Harness::kClaude,
                         .script = ReadyScript("two_turns"),
                         .state = NewPath("state")};
  EXPECT_THAT(RunFake(options).out, HasSubstr(kFirstId));
  std::vector<std::string> args = UsualArgs(Harness::kClaude);
  args.insert(args.end(), {"--resume", kFirstId});
  options.args = args;
  EXPECT_THAT(RunFake(options).out,
              AllOf(HasSubstr(kFirstId), HasSubstr("Two.")));
  options.args.back() = kUnknownId;
  const Ended unknown = RunFake(options);
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("No conversation found"));
  EXPECT_THAT(unknown.out, HasSubstr("error_during_execution"));
  options.args[args.size() - 2] = "--session-id";
  options.args.back() = kFirstId;
  EXPECT_THAT(RunFake(options).err, HasSubstr("is already in use."));
}

TEST(RunTest, ExpectsLinesThatMatch) {
  FakeOptions options = {.harness = Harness::kClaude,
                         .script = "say Asking.\nexpect /\"allow\"/\nok"};
  for (const bool good : {true, false}) {
    RunningFake fake(options);
    fake.Write(PromptBytes(Harness::kClaude, "go"));
    fake.WaitForLine("Asking.");
    fake.Write(good ? "{\"type\":\"control_response\",\"x\":\"allow\"}\n"
                    : "{\"type\":\"control_response\",\"x\":\"deny\"}\n");
    const Ended ended = fake.Finish();
    EXPECT_EQ(ended.exit_code, good ? 0 : 71) << ended.err;
    if (!good) {
      EXPECT_THAT(ended.err, HasSubstr("line 2: expected on stdin"));
    }
  }
}

TEST(RunTest, StartsWithItsStartSection) {
  const Ended ended = RunFake(
      {.harness = Harness::kGemini,
       .script = "ok\n== start\nstderr This folder is not trusted.\nexit 55"});
  EXPECT_EQ(ended.exit_code, 55);
  EXPECT_THAT(ended.out, IsEmpty());
  EXPECT_THAT(RunFake({.harness = Harness::kCodex,
                       .script = "ok\n== start\nsay Too early."})
                  .err,
              HasSubstr("line 3: this needs a turn"));
}

TEST(RunTest, BadScriptsAndCallsEndWith70) {
  const Ended bad = RunFake({.script = "ok\nsing"});
  EXPECT_EQ(bad.exit_code, 70);
  EXPECT_THAT(bad.err, HasSubstr("line 2: there is no instruction `sing`"));
  EXPECT_THAT(bad.out, IsEmpty());
  EXPECT_EQ(RunFake({.script = ""}).exit_code, 70);
  EXPECT_EQ(RunFake({.script = "== turn 2\nok"}).exit_code, 70);
  EXPECT_EQ(RunFake({.script = "end-run"}).exit_code, 70);
  EXPECT_EQ(RunFake({.script = "ok", .version = "new"}).exit_code, 70);
  EXPECT_EQ(RunFake({.script = "ok", .args = {"login"}}).exit_code, 70);
}

}  // namespace
}  // namespace troika::fake
