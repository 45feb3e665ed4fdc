#include "agent/backend.h"

#include <string>

#include "absl/strings/ascii.h"
#include "agent/testing_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::claude {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr absl::string_view kNew = "2.1.325";
constexpr absl::string_view kStart =
    "-p --output-format stream-json --verbose --input-format stream-json "
    "--permission-prompt-tool stdio ";
constexpr absl::string_view kResearch =
    "--permission-mode default --disallowedTools "
    "Bash,CronCreate,Edit,EnterWorktree,NotebookEdit,Workflow,Write";

TEST(ClaudeBackendTest, EachOptionOfTheNewestVersion) {
  const struct {
    LaunchRequest request;
    absl::string_view rest;
  } kCases[] = {
      {{}, ""},
      {{.resume_session = "1-2", .new_session = "3-4"}, " --resume 1-2"},
      {{.new_session = "3-4"}, " --session-id 3-4"},
      {{.options = {.model = "opus"}}, " --model opus"},
      // Images are sent within the conversation.
      {{.options = {.images = {"a.png"}}}, ""},
      {{.options = {.config = {"env.A=b"}}},
       " --settings {\"env\":{\"A\":\"b\"}}"},
      {{.options = {.output_schema = "s.json"}, .output_schema_text = "{}"},
       " --json-schema {}"},
      {{.options = {.extra_dirs = {"/a", "/b c"}}},
       " --add-dir /a --add-dir [/b c]"},
      {{.options = {.effort = "high"}}, " --effort high"},
      {{.options = {.web_search = true}}, " --allowedTools WebSearch"},
      {{.options = {.web_search = false}}, ",WebSearch"},
      {{.options = {.ephemeral = true}}, " --no-session-persistence"},
      {{.options = {.base_instructions = "i.md"}},
       " --system-prompt-file i.md"},
      {{.options = {.plan_tool = true}}, ""},
      {{.options = {.plan_tool = false}},
       ",TaskCreate,TaskGet,TaskList,TaskUpdate,TodoWrite"},
  };
  for (const auto& c : kCases) {
    ExpectLaunch(ClaudeBackend(), kNew, c.request,
                 absl::StrCat(kStart, kResearch), c.rest);
  }
}

TEST(ClaudeBackendTest, Permissions) {
  const struct {
    LaunchOptions options;
    absl::string_view rest;
  } kCases[] = {
      {{.edit_mode = EditMode::kResearch}, kResearch},
      {{.edit_mode = EditMode::kAutoEdit}, "--permission-mode acceptEdits"},
      {{.edit_mode = EditMode::kFullAuto},
       "--permission-mode acceptEdits --allowedTools Bash"},
      {{.edit_mode = EditMode::kFullAuto, .web_search = true},
       "--permission-mode acceptEdits --allowedTools Bash,WebSearch"},
      {{.edit_mode = EditMode::kDangerous}, "--dangerously-skip-permissions"},
      {{.dangerously_bypass = true}, "--dangerously-skip-permissions"},
      {{.approval_policy = "plan"}, "--permission-mode plan"},
      {{.approval_policy = "bypassPermissions"},
       "--permission-mode bypassPermissions"},
      {{.config = {"permissions.defaultMode=acceptEdits"}},
       "--settings {\"permissions\":{\"defaultMode\":\"acceptEdits\"}}"},
  };
  for (const auto& c : kCases) {
    ExpectLaunch(ClaudeBackend(), kNew, {.options = c.options}, kStart, c.rest);
  }
  ExpectLaunch(
      ClaudeBackend(), kNew,
      {.options = {.edit_mode = EditMode::kAutoEdit,
                   .approval_policy = "plan"}},
      "",
      "approval_policy: is set beside edit_mode, and both say what the "
      "agent may do; leave one of them out");
}

TEST(ClaudeBackendTest, NativePassesNoMode) {
  ExpectLaunch(ClaudeBackend(), kNew,
               {.options = {.edit_mode = EditMode::kNative}},
               absl::StripTrailingAsciiWhitespace(kStart));
  ExpectLaunch(
      ClaudeBackend(), kNew,
      {.options = {.edit_mode = EditMode::kNative, .approval_policy = "plan"}},
      kStart, "--permission-mode plan");
  ExpectLaunch(
      ClaudeBackend(), kNew,
      {.options = {.edit_mode = EditMode::kNative, .dangerously_bypass = true}},
      kStart, "--dangerously-skip-permissions");
}

TEST(ClaudeBackendTest, AskModeIsAListOfRules) {
  constexpr absl::string_view kAsks = "--permission-mode default --settings ";
  const LaunchRequest ask = {.options = {.edit_mode = EditMode::kAsk}};
  ExpectLaunch(
      ClaudeBackend(), kNew, ask, kStart,
      absl::StrCat(
          kAsks,
          R"({"permissions":{"ask":["Bash","CronCreate","Edit",)"
          R"("EnterWorktree","ExitWorktree","Monitor",)"
          R"("NotebookEdit","Skill","WebFetch","Workflow","Write",)"
          R"("mcp__*"]},"sandbox":{"autoAllowBashIfSandboxed":false}})"));
  ExpectLaunch(ClaudeBackend(), "1.0.80", ask, kStart,
               absl::StrCat(kAsks, R"({"permissions":{"ask":["Bash","Edit",)"
                                   R"("MultiEdit","NotebookEdit","WebFetch",)"
                                   R"("Write"]}})"));
  EXPECT_THAT(ClaudeBackend().BuildLaunch(ask, {.version = "2.0.50"})->notices,
              ElementsAre(::testing::StartsWith("ask: what hooks")));
  EXPECT_THAT(ClaudeBackend().BuildLaunch(ask, {.version = "2.1.197"})->notices,
              IsEmpty());
  ExpectLaunch(ClaudeBackend(), "1.0.60", ask, "",
               "edit_mode ask: Claude Code 1.0.60 can't ask before it acts; "
               "update with npm install -g @anthropic-ai/claude-code");
}

TEST(ClaudeBackendTest, SettingsOfTheUserDontReplaceTheRulesOfAskMode) {
  ExpectLaunch(
      ClaudeBackend(), "1.0.80",
      {.options = {.edit_mode = EditMode::kAsk,
                   .config = {"permissions.allow=[\"Bash\"]"}}},
      kStart,
      R"(--permission-mode default --settings {"permissions":{"ask":["Bash",)"
      R"("Edit","MultiEdit","NotebookEdit","WebFetch","Write"],)"
      R"("allow":["Bash"]}})");
  ExpectLaunch(ClaudeBackend(), kNew,
               {.options = {.edit_mode = EditMode::kAsk,
                            .config = {"permissions={\"ask\":[]}"}}},
               "",
               "config: permissions.ask is set by the edit mode; leave it out");
}

TEST(ClaudeBackendTest, ForksASession) {
  const LaunchRequest fork = {.resume_session = "s", .fork_session = true};
  ExpectLaunch(ClaudeBackend(), kNew, fork, kStart,
               absl::StrCat(kResearch, " --resume s --fork-session"));
  ExpectLaunch(ClaudeBackend(), "1.0.60", fork, "",
               "fork_session: Claude Code 1.0.60 can't fork a session; update "
               "with npm install -g @anthropic-ai/claude-code");
  const LaunchRequest early = {
      .resume_session = "s", .fork_session = true, .fork_point = "m"};
  ExpectLaunch(ClaudeBackend(), kNew, early, kStart,
               absl::StrCat(kResearch,
                            " --resume s --fork-session --resume-session-at "
                            "m"));
  ExpectLaunch(ClaudeBackend(), "2.0.0", early, "",
               "fork_turn: Claude Code 2.0.0 can't fork a session at an "
               "earlier turn; update with npm install -g "
               "@anthropic-ai/claude-code");
}

TEST(ClaudeBackendTest, WhatItCantDo) {
  const struct {
    LaunchOptions options;
    absl::string_view error;
  } kCases[] = {
      {{.sandbox = "on"},
       "sandbox: Claude Code can't do this; set config sandbox.enabled=true"},
      {{.profile = "p"},
       "profile: Claude Code can't do this; give its settings as config"},
      {{.skip_git_check = true},
       "skip_git_check: Claude Code can't do this; it makes no such check; "
       "leave it out"},
      {{.verbosity = "low"},
       "verbosity: Claude Code can't do this; ask for it in the prompt"},
      {{.local_provider = "ollama"},
       "local_provider: Claude Code can't do this; set ANTHROPIC_BASE_URL in "
       "the environment"},
      {{.last_message_file = "f"},
       "last_message_file: Claude Code can't do this; the answer is the text "
       "of the result"},
      {{.config = {"a=1", "a=2"}},
       "config: \"a=2\" sets again what another one does"},
      {{.output_schema = "s.json"}, "output_schema: s.json is empty"},
  };
  for (const auto& c : kCases)
    ExpectLaunch(ClaudeBackend(), kNew, {.options = c.options}, "", c.error);
}

TEST(ClaudeBackendTest, FlagsFollowTheVersion) {
  constexpr absl::string_view kUpdate =
      "; leave it out, or update with npm install -g "
      "@anthropic-ai/claude-code";
  constexpr absl::string_view kOldStart =
      "-p --output-format stream-json --verbose ";
  ExpectLaunch(ClaudeBackend(), "1.0.60", {}, kStart,
               "--permission-mode default --disallowedTools "
               "Bash,Edit,MultiEdit,NotebookEdit,Write");
  ExpectLaunch(ClaudeBackend(), "1.0.0", {.new_session = "not-taken"},
               kOldStart,
               "--disallowedTools Bash,Edit,MultiEdit,NotebookEdit,Write");
  ExpectLaunch(ClaudeBackend(), "1.0.0",
               {.options = {.edit_mode = EditMode::kAutoEdit}}, kOldStart,
               "--allowedTools Edit,MultiEdit,NotebookEdit,Write");
  ExpectLaunch(ClaudeBackend(), "1.0.0",
               {.options = {.edit_mode = EditMode::kFullAuto}}, kOldStart,
               "--allowedTools Bash,Edit,MultiEdit,NotebookEdit,Write");
  const struct {
    absl::string_view version;
    LaunchOptions options;
    absl::string_view error;
  } kCases[] = {
      {"1.0.14",
       {.approval_policy = "plan"},
       "approval_policy: Claude Code 1.0.14 has no --permission-mode"},
      {"1.0.17",
       {.extra_dirs = {"/a"}},
       "extra_dirs: Claude Code 1.0.17 has no --add-dir"},
      {"1.0.60",
       {.config = {"a=1"}},
       "config: Claude Code 1.0.60 has no --settings"},
      {"1.0.53",
       {.base_instructions = "i"},
       "base_instructions: Claude Code 1.0.53 has no --system-prompt-file"},
      {"2.0.42",
       {.output_schema = "s"},
       "output_schema: Claude Code 2.0.42 has no --json-schema"},
      {"2.0.60",
       {.ephemeral = true},
       "ephemeral: Claude Code 2.0.60 has no --no-session-persistence"},
      {"2.1.36",
       {.effort = "high"},
       "effort: Claude Code 2.1.36 has no --effort"},
  };
  for (const auto& c : kCases) {
    ExpectLaunch(ClaudeBackend(), c.version,
                 {.options = c.options, .output_schema_text = "{}"}, c.error,
                 kUpdate);
  }
  ExpectLaunch(
      ClaudeBackend(), "1.0.62", {.options = {.images = {"a"}}}, "",
      "images: Claude Code 1.0.62 can't take images; update with npm install "
      "-g @anthropic-ai/claude-code");
  ExpectLaunch(
      ClaudeBackend(), "0.2.114", {}, "",
      "start Claude Code 0.2.114: it is older than 0.2.118, the first that "
      "works here; update it with npm install -g "
      "@anthropic-ai/claude-code");
}

TEST(ClaudeBackendTest, CapabilitiesFollowTheVersion) {
  const Backend& backend = ClaudeBackend();
  const Capabilities one_prompt = {
      .resume = true, .models = true, .compaction = true};
  Capabilities converses = one_prompt;
  converses.follow_up = true;
  converses.steer = true;
  converses.interrupt = true;
  Capabilities asks = converses;
  asks.approvals = true;
  asks.denial_reason = true;
  Capabilities sees = asks;
  sees.images = true;
  Capabilities forks = sees;
  forks.fork = true;
  Capabilities changes = forks;
  changes.fork_at_turn = true;
  changes.set_model = true;
  Capabilities all = changes;
  all.questions = true;
  const struct {
    absl::string_view version;
    Capabilities can;
  } kCases[] = {
      {"0.2.118", one_prompt}, {"1.0.20", one_prompt}, {"1.0.21", converses},
      {"1.0.59", converses},   {"1.0.60", asks},       {"1.0.62", asks},
      {"1.0.63", sees},        {"1.0.118", sees},      {"1.0.119", forks},
      {"2.0.49", forks},       {"2.0.50", changes},    {"2.0.70", changes},
      {"2.0.71", all},         {"2.1.325", all},       {"", all},
  };
  for (const auto& c : kCases) {
    const Cli cli = {.version = std::string(c.version)};
    EXPECT_EQ(backend.capabilities(cli), c.can) << c.version;
    EXPECT_EQ(ClaudeBackend().BuildLaunch({}, cli)->stdin_mode ==
                  Launch::Stdin::kConversation,
              c.can.follow_up)
        << c.version;
  }
  // Images need the conversation, which this newer version's help lacks.
  EXPECT_FALSE(
      backend.capabilities({.version = "9.0.0", .help = "  --resume\n"})
          .images);
}

TEST(ClaudeBackendTest, OneLongProcessWhereTheVersionTakesPrompts) {
  const LaunchRequest request = {.options = {.model = "opus"}};
  absl::StatusOr<Launch> launch =
      ClaudeBackend().BuildLaunch(request, {.version = "1.0.21"});
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->stdin_mode, Launch::Stdin::kConversation);
  EXPECT_THAT(launch->env, IsEmpty());
  launch = ClaudeBackend().BuildLaunch(request, {.version = "0.2.126"});
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->stdin_mode, Launch::Stdin::kPrompt);
  EXPECT_THAT(launch->env, ElementsAre(Pair("ANTHROPIC_MODEL", "opus")));
}

TEST(ClaudeBackendTest, NoticesSayWhatIsOpen) {
  const Cli cli = {.version = std::string(kNew)};
  EXPECT_THAT(ClaudeBackend().BuildLaunch({}, cli)->notices, IsEmpty());
  EXPECT_THAT(
      ClaudeBackend()
          .BuildLaunch({.options = {.edit_mode = EditMode::kFullAuto}}, cli)
          ->notices,
      ElementsAre("full_auto: Claude Code runs commands without a sandbox, and "
                  "they can reach all that its user can"));
}

TEST(ClaudeBackendTest, WhatABackendSaysOfItself) {
  const Backend& backend = ClaudeBackend();
  EXPECT_EQ(backend.cli_names.program, "claude");
  EXPECT_FALSE(backend.resume_keeps_session({.version = "1.0.109"}));
  EXPECT_TRUE(backend.resume_keeps_session({.version = "2.0.0"}));
  EXPECT_TRUE(backend.resume_keeps_session({.version = ""}));
  EXPECT_TRUE(backend.sends_images_inline(Wire::kStreamJson));
  EXPECT_TRUE(backend.inline_output_schema);
}

}  // namespace
}  // namespace troika::claude
