#include "task/hints.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// What the CLIs really say, and a part of the hint.
constexpr std::pair<absl::string_view, absl::string_view> kSaid[] = {
    {"the task deadline of 24h passed", "--task-timeout"},
    {"Not inside a trusted directory and --skip-git-repo-check was not "
     "specified.",
     "skip_git_check"},
    {"bwrap: No permissions to create a new namespace, likely because the "
     "kernel does not allow non-privileged user namespaces. On e.g. debian "
     "this can be enabled with 'sysctl kernel.unprivileged_userns_clone=1'.",
     "sandbox"},
    {"bwrap: Creating new namespace failed: nesting depth or "
     "/proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
     "sandbox"},
    {"bwrap: Failed to make / slave: Operation not permitted", "sandbox"},
    {"error building bubblewrap command: cannot establish app-server socket "
     "mount isolation",
     "sandbox"},
    {"thread 'main' panicked at linux-sandbox/src/linux_run_main.rs:28:9:\n"
     "error running landlock: Sandbox(LandlockRestrict)",
     "sandbox"},
    {"error applying legacy Linux sandbox restrictions: "
     "Sandbox(LandlockRestrict)",
     "sandbox"},
    {"error applying Linux sandbox restrictions: "
     "Sandbox(SeccompInstall(Seccomp(Os { code: 1 })))",
     "sandbox"},
    {"bwrap: execvp codex-linux-sandbox: No such file or directory",
     "CODEX_HOME"},
    {"Gemini CLI is not running in a trusted directory. To proceed, either use "
     "`--skip-trust`, set the `GEMINI_CLI_TRUST_WORKSPACE=true` environment "
     "variable, or trust this directory in interactive mode.",
     "trust the folder"},
    {"No conversation found with session ID: 0-1", "start a new task"},
    {"Error: thread/resume: thread/resume failed: no rollout found for thread "
     "id 0-1 (code -32600)",
     "start a new task"},
    {"Error resuming session: Invalid session identifier \"0-1\".",
     "start a new task"},
    {"Error: Session ID 0-1 is already in use.", "another process"},
    {"--dangerously-skip-permissions cannot be used with root/sudo privileges "
     "for security reasons",
     "IS_SANDBOX"},
    {"error: unexpected argument '-a' found", "update the CLI"},
    {"error: unknown option '--input-format'", "update the CLI"},
    {"Unknown arguments: session-id, sessionId", "update the CLI"},
    {"Error loading config.toml: unknown variant `bogus`", "configuration"},
    {"Error: approval_policy = \"untrusted\" is no longer supported; remove "
     "this setting",
     "configuration"},
    {"You've hit your usage limit.", "quota"},
    {"[API Error: quota]\nPlease wait and try again later. To increase your "
     "limits, request a quota increase through AI Studio",
     "quota"},
    {"RetryableQuotaError: quota", "quota"},
    {"exceeded retry limit, last status: 429 Too Many Requests",
     "too many requests"},
    {"API Error: Request rejected (429) · Rate limited", "too many requests"},
    {"unexpected status 401 Unauthorized: Incorrect API key provided",
     "log in"},
    {"Invalid API key · Fix external API key", "log in"},
    {"[API Error: {\"error\":{\"code\":401,\"message\":\"API key not "
     "valid\"}}]",
     "log in"},
    {"When using Gemini API, you must specify the GEMINI_API_KEY environment "
     "variable.",
     "log in"},
    {"Codex ran out of room in the model's context window. Start a new thread",
     "too long"},
    {"Prompt is too long · the request is ~250000 tokens", "too long"},
    {"[API Error: model not found]", "choose a model"},
    {"The model `x` does not exist or you do not have access to it.",
     "choose a model"},
    {"Reached max session turns for this session.", "limit of turns"},
    {"Reached maximum number of turns (2)", "limit of turns"},
    {"API Error: Claude's response exceeded the 32000 output token maximum.",
     "in parts"},
    {"Incomplete response returned, reason: max_output_tokens", "in parts"},
    {"We’re currently experiencing high demand, which may cause temporary "
     "errors.",
     "try again later"},
    {"API Error: Overloaded mid-stream", "try again later"},
    {"[API Error: {\"error\":{\"code\":500,\"status\":\"INTERNAL\"}}]",
     "try again later"},
    {"Reconnecting... waiting for network (Connection failed: error sending "
     "request)",
     "network"},
    {"API Error: Unable to connect to API (ConnectionRefused)", "network"},
    {"[API Error: exception TypeError: fetch failed sending request]",
     "network"},
    {"stream disconnected before completion: stream closed", "network"},
    {"write failed: No space left on device (os error 28)", "make room"},
};

TEST(HintsTest, OfToolsOnlyWhatEndsNoTurn) {
  EXPECT_THAT(HintForTool("$ ls\nbwrap: Can't mount proc on /newroot/proc"),
              HasSubstr("sandbox"));
  for (const absl::string_view said :
       {"BWRAP: No permissions to create a new namespace",
        "bwrap: execvp codex-linux-sandbox: No such file or directory",
        "error running landlock: denied", "Sandbox(Landlock(no rules))",
        "error applying legacy Linux sandbox restrictions: x",
        "error building bubblewrap command: x"}) {
    for (size_t before = 0; before < 20; ++before) {
      const std::string output = absl::StrCat(std::string(before, '\n'), said,
                                              std::string(20 - before, 'o'));
      EXPECT_THAT(HintForTool(output), Not(IsEmpty())) << output;
    }
  }
  for (const absl::string_view output :
       {"", "no space left on device", "401 unauthorized",
        "bwrap: execvp my-tool: No such file or directory",
        "usage: bwrap [OPTIONS...] [--] COMMAND", "the bwrap package",
        "sandbox: the landlock policy is set"}) {
    EXPECT_THAT(HintForTool(output), IsEmpty()) << output;
  }
}

TEST(HintsTest, WhatTheClisSayHasAHint) {
  for (const auto& [said, hint] : kSaid) {
    EXPECT_THAT(std::string(HintFor(said)), HasSubstr(std::string(hint)))
        << said;
  }
}

TEST(HintsTest, OtherErrorsHaveNone) {
  for (const absl::string_view text :
       {"", "exited with code 1", "error_during_execution",
        "the file has 429 lines and 401 words", "\xFF\xFE\x00"}) {
    EXPECT_THAT(std::string(HintFor(text)), IsEmpty()) << text;
  }
}

TEST(HintsTest, OnlyTheEndIsLookedAt) {
  const std::string long_ago =
      absl::StrCat("Invalid API key\n", std::string(kMaxStderrBytes, 'x'));
  EXPECT_THAT(std::string(HintFor(long_ago)), IsEmpty());
}

TEST(HintsTest, HarmlessLines) {
  for (const absl::string_view line :
       {"WARNING: proceeding, even though we could not create PATH aliases: x",
        "Warning: 256-color support not detected. Using a terminal with",
        "Warning: --allowed-tools cli argument and tools.allowed in "
        "settings.json are deprecated and will be removed in 1.0",
        "Reading prompt from stdin...",
        "Reading additional input from stdin...",
        "YOLO mode is enabled. All tool calls will be automatically approved.",
        "(node:21) [DEP0040] DeprecationWarning: The `punycode` module is old",
        "(node:14169) MaxListenersExceededWarning: Possible memory leak",
        "(Use `node --trace-warnings ...` to show where it was created)",
        "    at async main (file:///gemini.js:124:5) {", "", "  "}) {
    EXPECT_TRUE(IsNoise(line)) << line;
  }
  for (const auto& [said, hint] : kSaid) EXPECT_FALSE(IsNoise(said)) << said;
}

TEST(HintsTest, StderrTailKeepsWhatMayMeanSomething) {
  StderrTail tail;
  tail.Add("Reading prompt from stdin...");
  tail.Add("Error: a");
  tail.Add("");
  tail.Add("b");
  EXPECT_EQ(tail.text(), "Error: a\nb\n");
  EXPECT_EQ(tail.Excerpt(), "Error: a\nb");
  EXPECT_EQ(StderrTail().Excerpt(), "");
}

TEST(HintsTest, StderrTailIsBounded) {
  StderrTail tail;
  for (int i = 0; i < 1000; ++i) tail.Add(std::string(1000, 'x'));
  tail.Add(std::string(3 * kMaxStderrBytes, 'y'));
  tail.Add("last");
  EXPECT_THAT(std::string(tail.text()), SizeIs(kMaxStderrBytes));
  EXPECT_THAT(tail.Excerpt(), SizeIs(testing::Le(2000u)));
  EXPECT_THAT(tail.Excerpt(), testing::EndsWith("y\nlast"));
}

TEST(HintsTest, ExcerptIsTheLastTenLines) {
  StderrTail tail;
  for (int i = 1; i <= 12; ++i) tail.Add(absl::StrCat("line ", i));
  EXPECT_THAT(tail.Excerpt(), testing::StartsWith("line 3\nline 4\n"));
}

}  // namespace
}  // namespace troika
