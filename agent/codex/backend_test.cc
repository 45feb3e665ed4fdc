#include "agent/backend.h"

#include <string>
#include <utility>

#include "agent/testing_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::codex {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::string_view kNew = "0.166.0";

TEST(CodexBackendTest, EachOptionOfTheNewestVersion) {
  const LaunchCase kCases[] = {
      {kNew, {}, "exec --json --color never -s read-only --ignore-rules -"},
      {kNew,
       {.resume_session = "01a1-b2"},
       "exec --json --color never -s read-only --ignore-rules resume 01a1-b2 "
       "-"},
      {kNew,
       {.options = {.model = "gpt-5.5"}, .new_session = "not-taken"},
       "exec --json --color never -s read-only --ignore-rules --model gpt-5.5 "
       "-"},
      {kNew,
       {.options = {.images = {"a.png", "b c.png"}}, .resume_session = "id"},
       "exec --image a.png --image [b c.png] --json --color never -s read-only "
       "--ignore-rules resume id -"},
      {kNew,
       {.options = {.config = {"a.b=[1, 2]", "c=d"}}},
       "exec --json --color never -s read-only --ignore-rules -c [a.b=[1, 2]] "
       "-c c=d -"},
      {kNew,
       {.options = {.profile = "work"}},
       "exec --json --color never -s read-only --ignore-rules --profile work "
       "-"},
      {kNew,
       {.options = {.output_schema = "/s.json"}},
       "exec --json --color never -s read-only --ignore-rules --output-schema "
       "/s.json -"},
      {kNew,
       {.options = {.skip_git_check = true}},
       "exec --json --color never -s read-only --ignore-rules "
       "--skip-git-repo-check -"},
      {kNew,
       {.options = {.extra_dirs = {"/a", "/b"}}},
       "exec --json --color never -s read-only --ignore-rules --add-dir /a "
       "--add-dir /b -"},
      {kNew,
       {.options = {.effort = "high"}},
       "exec --json --color never -s read-only --ignore-rules -c "
       "model_reasoning_effort=\"high\" -"},
      {kNew,
       {.options = {.verbosity = "low"}},
       "exec --json --color never -s read-only --ignore-rules -c "
       "model_verbosity=\"low\" -"},
      {kNew,
       {.options = {.web_search = true}},
       "exec --json --color never -s read-only --ignore-rules -c "
       "web_search=\"live\" -"},
      {kNew,
       {.options = {.web_search = false}},
       "exec --json --color never -s read-only --ignore-rules -c "
       "web_search=\"disabled\" -"},
      {kNew,
       {.options = {.ephemeral = true}},
       "exec --json --color never -s read-only --ignore-rules --ephemeral -"},
      {kNew,
       {.options = {.base_instructions = "/a \"b\".md"}},
       "exec --json --color never -s read-only --ignore-rules -c "
       "[model_instructions_file=\"/a \\\"b\\\".md\"] -"},
      {kNew,
       {.options = {.plan_tool = true}},
       "exec --json --color never -s read-only --ignore-rules -c "
       "tools.update_plan.enabled=true -"},
      {kNew,
       {.options = {.plan_tool = false}},
       "exec --json --color never -s read-only --ignore-rules -c "
       "tools.update_plan.enabled=false -"},
      {kNew,
       {.options = {.local_provider = "default"}},
       "exec --json --color never -s read-only --ignore-rules --oss -"},
      {kNew,
       {.options = {.local_provider = "ollama"}},
       "exec --json --color never -s read-only --ignore-rules --oss "
       "--local-provider ollama -"},
      {kNew,
       {.options = {.last_message_file = "/last"}},
       "exec --json --color never -s read-only --ignore-rules "
       "--output-last-message /last -"},
  };
  ExpectLaunches(CodexBackend(), kCases);
}

TEST(CodexBackendTest, Permissions) {
  const LaunchCase kCases[] = {
      // The user's own settings hold. Old versions can't ask.
      {"0.63.0",
       {.options = {.edit_mode = EditMode::kNative}},
       "exec --json --color never -"},
      {kNew,
       {.options = {.edit_mode = EditMode::kNative, .wire = Wire::kExec}},
       "exec --json --color never -"},
      {"0.63.0",
       {.options = {.edit_mode = EditMode::kNative, .sandbox = "read-only"}},
       "exec --json --color never -s read-only -"},
      {kNew,
       {.options = {.edit_mode = EditMode::kNative,
                    .approval_policy = "never",
                    .sandbox = "workspace-write"}},
       "exec --json --color never -s workspace-write -"},
      {kNew,
       {.options = {.edit_mode = EditMode::kNative,
                    .dangerously_bypass = true}},
       "exec --json --color never --dangerously-bypass-approvals-and-sandbox "
       "-"},
      {kNew,
       {.options = {.edit_mode = EditMode::kNative,
                    .sandbox = "read-only",
                    .dangerously_bypass = true}},
       "sandbox: is set beside dangerously_bypass, and both say what the "
       "agent may do; leave one of them out"},
      {kNew,
       {.options = {.edit_mode = EditMode::kAutoEdit}},
       "exec --json --color never -s workspace-write -"},
      {kNew,
       {.options = {.edit_mode = EditMode::kFullAuto}},
       "exec --json --color never -s workspace-write -"},
      {kNew,
       {.options = {.edit_mode = EditMode::kDangerous}},
       "exec --json --color never --dangerously-bypass-approvals-and-sandbox "
       "-"},
      {kNew,
       {.options = {.dangerously_bypass = true}, .resume_session = "id"},
       "exec --json --color never --dangerously-bypass-approvals-and-sandbox "
       "resume id -"},
      {kNew,
       {.options = {.edit_mode = EditMode::kDangerous,
                    .dangerously_bypass = true}},
       "exec --json --color never --dangerously-bypass-approvals-and-sandbox "
       "-"},
      {kNew,
       {.options = {.sandbox = "danger-full-access"}},
       "exec --json --color never -s danger-full-access -"},
      {kNew,
       {.options = {.approval_policy = "never", .sandbox = "workspace-write"}},
       "exec --json --color never -s workspace-write -"},
      {kNew,
       {.options = {.approval_policy = "never"}},
       "exec --json --color never -s read-only --ignore-rules -"},
      {kNew,
       {.options = {.config = {"sandbox_mode=danger-full-access"}}},
       "exec --json --color never -c sandbox_mode=danger-full-access -"},
      // With other spacing it grants nothing, because -s overrides -c.
      {kNew,
       {.options = {.config = {"sandbox_mode =danger-full-access"}}},
       "exec --json --color never -s read-only --ignore-rules -c "
       "[sandbox_mode =danger-full-access] -"},
      {kNew,
       {.options = {.edit_mode = EditMode::kResearch,
                    .sandbox = "workspace-write"}},
       "sandbox: is set beside edit_mode, and both say what the agent may do; "
       "leave one of them out"},
      {kNew,
       {.options = {.edit_mode = EditMode::kAutoEdit,
                    .dangerously_bypass = true}},
       "edit_mode: is set beside dangerously_bypass, and both say what the "
       "agent may do; leave one of them out"},
      {kNew,
       {.options = {.sandbox = "read-only",
                    .config = {"sandbox_mode=danger-full-access"}}},
       "sandbox: is set beside sandbox_mode, and both say what the agent may "
       "do; leave one of them out"},
  };
  ExpectLaunches(CodexBackend(), kCases);
}

TEST(CodexBackendTest, FlagsFollowTheVersion) {
  constexpr absl::string_view kUpdate =
      "; leave it out, or update with npm install -g @openai/codex";
  constexpr absl::string_view kNoResume =
      "resume_session: Codex CLI 0.34.0 can't go on with a session; update "
      "with npm install -g @openai/codex";
  constexpr absl::string_view kNoImages =
      "images: Codex CLI 0.34.0 can't take images; update with npm install -g "
      "@openai/codex";
  const std::string no_dirs =
      absl::StrCat("extra_dirs: Codex CLI 0.34.0 has no --add-dir", kUpdate);
  const std::string no_schema = absl::StrCat(
      "output_schema: Codex CLI 0.34.0 has no --output-schema", kUpdate);
  const std::string no_ephemeral =
      absl::StrCat("ephemeral: Codex CLI 0.98.0 has no --ephemeral", kUpdate);
  const std::string no_provider = absl::StrCat(
      "local_provider: Codex CLI 0.34.0 has no --local-provider", kUpdate);
  const std::string no_plan =
      absl::StrCat("plan_tool: Codex CLI 0.34.0 has no update_plan", kUpdate);
  const std::string plan_stays = absl::StrCat(
      "plan_tool: Codex CLI 0.124.0 has no tools.update_plan.enabled", kUpdate);
  const LaunchCase kCases[] = {
      {"0.34.0", {}, "exec --json --color never -s read-only -"},
      {"0.98.0", {}, "exec --json --color never -s read-only -"},
      {"0.124.0",
       {},
       "exec --json --color never -s read-only --ignore-rules -"},
      {"garbage",
       {},
       "exec --json --color never -s read-only --ignore-rules -"},
      {"0.63.0",
       {.options = {.images = {"a.png"}}, .resume_session = "id"},
       "exec --image a.png --json --color never -s read-only resume id -"},
      {"0.34.0",
       {.options = {.web_search = true,
                    .base_instructions = "i.md",
                    .last_message_file = "l"}},
       "exec --json --color never -s read-only --output-last-message l -c "
       "experimental_instructions_file=\"i.md\" -c tools.web_search=true -"},
      {"0.80.0",
       {.options = {.web_search = false}},
       "exec --json --color never -s read-only -c tools.web_search=false -"},
      {"0.124.0",
       {.options = {.plan_tool = true}},
       "exec --json --color never -s read-only --ignore-rules -"},
      {"0.34.0",
       {.options = {.local_provider = "default"}},
       "exec --json --color never -s read-only --oss -"},
      {"0.34.0", {.resume_session = "id"}, kNoResume},
      {"0.34.0", {.options = {.images = {"a.png"}}}, kNoImages},
      {"0.34.0", {.options = {.extra_dirs = {"/a"}}}, no_dirs},
      {"0.34.0", {.options = {.output_schema = "s"}}, no_schema},
      {"0.98.0", {.options = {.ephemeral = true}}, no_ephemeral},
      {"0.34.0", {.options = {.local_provider = "ollama"}}, no_provider},
      {"0.34.0", {.options = {.plan_tool = true}}, no_plan},
      {"0.124.0", {.options = {.plan_tool = false}}, plan_stays},
      {"0.20.0",
       {},
       "start Codex CLI 0.20.0: it is older than 0.34.0, the first that works "
       "here; update it with npm install -g @openai/codex"},
  };
  ExpectLaunches(CodexBackend(), kCases);
}

TEST(CodexBackendTest, CapabilitiesFollowTheVersion) {
  const Backend& backend = CodexBackend();
  const Capabilities kEverything = {.follow_up = true,
                                    .resume = true,
                                    .fork = true,
                                    .fork_at_turn = true,
                                    .steer = true,
                                    .interrupt = true,
                                    .approvals = true,
                                    .questions = true,
                                    .images = true,
                                    .models = true,
                                    .denial_reason = true};
  Capabilities at_the_end = kEverything;
  at_the_end.fork_at_turn = false;
  const struct {
    absl::string_view version;
    Capabilities can;
  } kCases[] = {
      {"0.34.0", {.models = true}},
      {"0.42.0", {.resume = true, .models = true}},
      {"0.63.0", {.resume = true, .images = true, .models = true}},
      {"0.98.0", {.resume = true, .images = true, .models = true}},
      {"0.124.0", at_the_end},
      {"0.166.0", kEverything},
      {"0.170.0", kEverything},
      {"", kEverything},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(backend.capabilities({.version = std::string(c.version)}), c.can)
        << c.version;
  }
  // Help decides for versions newer than the table, as with flags.
  EXPECT_EQ(backend.wire_capabilities(
                {.version = "0.170.0", .help = "  resume  Resume a session\n"},
                Wire::kExec),
            (Capabilities{.resume = true, .models = true}));
  EXPECT_EQ(backend.wire_capabilities({.version = "0.166.0"}, Wire::kExec),
            (Capabilities{.resume = true, .images = true, .models = true}));
}

// capabilities() agrees with the command line.
TEST(CodexBackendTest, CapabilitiesAndCommandLinesAgree) {
  const Backend& backend = CodexBackend();
  for (const char* const version :
       {"0.34.0", "0.41.0", "0.42.0", "0.62.0", "0.63.0", "0.166.0", ""}) {
    const Cli cli = {.path = "codex", .version = version};
    const Capabilities can = backend.capabilities(cli);
    EXPECT_EQ(backend.BuildLaunch({.resume_session = "id"}, cli).ok(),
              can.resume)
        << version;
    EXPECT_EQ(backend.BuildLaunch({.options = {.images = {"a.png"}}}, cli).ok(),
              can.images)
        << version;
  }
}

TEST(CodexBackendTest, HelpDecidesForVersionsAfterTheTable) {
  LaunchRequest request;
  request.options.ephemeral = true;
  Cli cli = {.path = "codex", .version = "0.170.0"};
  EXPECT_TRUE(CodexBackend().BuildLaunch(request, cli).ok());
  cli.help = "  -s, --sandbox <MODE>\n  --ignore-rules\n  --ephemeral-x\n";
  EXPECT_EQ(CodexBackend().BuildLaunch(request, cli).status(),
            absl::InvalidArgumentError(
                "ephemeral: Codex CLI 0.170.0 has no --ephemeral; leave it "
                "out, or update with npm install -g @openai/codex"));
  absl::StrAppend(&cli.help, "      --ephemeral\n");
  EXPECT_TRUE(CodexBackend().BuildLaunch(request, cli).ok());
  // The help of a version within the table is ignored.
  cli = {.path = "codex", .version = "0.166.0", .help = "nothing"};
  EXPECT_TRUE(CodexBackend().BuildLaunch(request, cli).ok());
}

TEST(CodexBackendTest, RestrictionsThatAreGoneAreNotLeftOut) {
  const Cli cli = {.path = "codex",
                   .version = "0.170.0",
                   .help = "  -s, --sandbox <MODE>\n"};
  EXPECT_EQ(CodexBackend().BuildLaunch({}, cli).status().message(),
            "edit_mode research: Codex CLI 0.170.0 has no --ignore-rules; "
            "leave it out, or update with npm install -g @openai/codex");
}

TEST(CodexBackendTest, PromptIsOnStdinAndNoticesSayWhatIsOpen) {
  LaunchRequest request;
  const Cli cli = {.path = "codex", .version = "0.166.0"};
  absl::StatusOr<Launch> launch = CodexBackend().BuildLaunch(request, cli);
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->stdin_mode, Launch::Stdin::kPrompt);
  EXPECT_THAT(launch->env, IsEmpty());
  EXPECT_THAT(launch->notices, IsEmpty());

  request.options.edit_mode = EditMode::kAutoEdit;
  launch = CodexBackend().BuildLaunch(request, cli);
  ASSERT_TRUE(launch.ok());
  EXPECT_THAT(launch->notices,
              ElementsAre("auto_edit: codex exec can't ask before it runs a "
                          "command; commands run in its workspace-write "
                          "sandbox"));
}

TEST(CodexBackendTest, ASandboxThatCantWorkIsTold) {
  const Cli cli = {.path = "codex",
                   .version = "0.166.0",
                   .sandbox_error = "bwrap: no permissions"};
  const auto notices = [&](LaunchOptions options) {
    return CodexBackend()
        .BuildLaunch({.options = std::move(options)}, cli)
        ->notices;
  };
  const auto told = ElementsAre(AllOf(HasSubstr("Codex CLI can't set up"),
                                      HasSubstr(": bwrap: no permissions; ")));
  EXPECT_THAT(notices({}), told);
  EXPECT_THAT(notices({.edit_mode = EditMode::kFullAuto}), told);
  EXPECT_THAT(notices({.sandbox = "read-only"}), told);
  EXPECT_THAT(notices({.config = {"sandbox_mode=\"read-only\""}}), told);
  EXPECT_THAT(notices({.edit_mode = EditMode::kDangerous}), IsEmpty());
  EXPECT_THAT(notices({.dangerously_bypass = true}), IsEmpty());
  EXPECT_THAT(notices({.sandbox = "danger-full-access"}), IsEmpty());
  EXPECT_THAT(notices({.config = {"sandbox_mode=\"danger-full-access\""}}),
              IsEmpty());
}

TEST(CodexBackendTest, WhatABackendSaysOfItself) {
  const Backend& backend = CodexBackend();
  const CliNames names = backend.cli_names;
  EXPECT_EQ(names.program, "codex");
  EXPECT_THAT(names.env, ElementsAre("TROIKA_CODEX_BIN", "CODEX_CLI_PATH"));
  EXPECT_EQ(names.install, "npm install -g @openai/codex");
  EXPECT_TRUE(backend.resume_keeps_session({.version = "0.63.0"}));
  EXPECT_FALSE(backend.sends_images_inline(Wire::kAppServer));
}

}  // namespace
}  // namespace troika::codex
