#include "agent/backend.h"

#include <string>

#include "agent/testing_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::gemini {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr absl::string_view kNew = "0.61.0";
constexpr absl::string_view kResearch =
    "-o stream-json --approval-mode default --allowed-tools read_file";

TEST(GeminiBackendTest, EachOptionOfTheNewestVersion) {
  const struct {
    LaunchRequest request;
    absl::string_view rest;
  } kCases[] = {
      {{}, ""},
      {{.resume_session = "1-2", .new_session = "3-4"}, " --resume 1-2"},
      {{.new_session = "3-4"}, " --session-id 3-4"},
      {{.options = {.model = "gemini-2.5-pro"}}, " -m gemini-2.5-pro"},
      {{.options = {.extra_dirs = {"/a", "/b c"}}},
       " --include-directories /a --include-directories [/b c]"},
      {{.options = {.web_search = true}}, ""},
      {{.options = {.images = {"a.png", "/w/b (1),.png"}}, .cwd = "/w"},
       " -p [@a.png @/w/b\\ \\(1\\)\\,.png]"},
      {{.options = {.images = {"/x/y/a.png"}, .extra_dirs = {"/x"}},
        .cwd = "/w"},
       " --include-directories /x -p @/x/y/a.png"},
  };
  for (const auto& c : kCases)
    ExpectLaunch(GeminiBackend(), kNew, c.request, kResearch, c.rest);
}

TEST(GeminiBackendTest, Permissions) {
  const struct {
    LaunchOptions options;
    absl::string_view rest;
  } kCases[] = {
      {{.edit_mode = EditMode::kAutoEdit}, "auto_edit"},
      {{.edit_mode = EditMode::kFullAuto},
       "auto_edit --allowed-tools run_shell_command"},
      {{.edit_mode = EditMode::kDangerous}, "yolo"},
      {{.dangerously_bypass = true}, "yolo"},
      {{.approval_policy = "plan"}, "plan"},
      {{.approval_policy = "yolo"}, "yolo"},
  };
  for (const auto& c : kCases) {
    ExpectLaunch(GeminiBackend(), kNew, {.options = c.options},
                 "-o stream-json --approval-mode ", c.rest);
  }
  ExpectLaunch(
      GeminiBackend(), kNew,
      {.options = {.approval_policy = "plan", .dangerously_bypass = true}}, "",
      "approval_policy: is set beside dangerously_bypass, and both say what "
      "the agent may do; leave one of them out");
}

TEST(GeminiBackendTest, WhatItCantDo) {
  const struct {
    LaunchOptions options;
    absl::string_view error;
  } kCases[] = {
      {{.config = {"a=1"}},
       "config: Gemini CLI can't do this; put it into its settings.json"},
      {{.profile = "p"},
       "profile: Gemini CLI can't do this; put its settings into "
       "settings.json"},
      {{.output_schema = "s"},
       "output_schema: Gemini CLI can't do this; ask for the form of the "
       "answer in the prompt"},
      {{.skip_git_check = true},
       "skip_git_check: Gemini CLI can't do this; it makes no such check; "
       "leave it out"},
      {{.effort = "high"},
       "effort: Gemini CLI can't do this; choose another model"},
      {{.verbosity = "low"},
       "verbosity: Gemini CLI can't do this; ask for it in the prompt"},
      {{.web_search = false},
       "web_search: Gemini CLI can't turn it off by a flag; exclude "
       "google_web_search in its settings.json"},
      {{.ephemeral = true},
       "ephemeral: Gemini CLI can't do this; leave it out, and delete the "
       "session with --delete-session"},
      {{.plan_tool = true},
       "plan_tool: Gemini CLI can't do this; it depends on the edit mode; "
       "leave it out"},
      {{.local_provider = "ollama"},
       "local_provider: Gemini CLI can't do this; use a harness that can, such "
       "as codex"},
      {{.last_message_file = "f"},
       "last_message_file: Gemini CLI can't do this; the answer is the text of "
       "the result"},
      {{.images = {"../a.png"}},
       "images: Gemini CLI reads none from outside its folders; add the folder "
       "of ../a.png to extra_dirs"},
      {{.images = {"a\"b.png"}},
       "images: Gemini CLI can't read one with a quote, backslash, tab or line "
       "end in its name; rename a\"b.png"},
  };
  for (const auto& c : kCases) {
    ExpectLaunch(GeminiBackend(), kNew, {.options = c.options, .cwd = "/w"}, "",
                 c.error);
  }
}

TEST(GeminiBackendTest, FlagsFollowTheVersion) {
  ExpectLaunch(GeminiBackend(), "0.11.3", {.new_session = "not-taken"},
               kResearch, "");
  ExpectLaunch(GeminiBackend(), "0.35.0", {.new_session = "not-taken"},
               kResearch, "");
  ExpectLaunch(GeminiBackend(), "0.20.0", {.resume_session = "id"}, kResearch,
               " --resume id");
  ExpectLaunch(
      GeminiBackend(), "0.13.0", {.resume_session = "id"}, "",
      "resume_session: Gemini CLI 0.13.0 can't go on with a session; update "
      "with npm install -g @google/gemini-cli");
  const LaunchRequest dirs = {.options = {.extra_dirs = {"/a"}}};
  for (const absl::string_view version : {"0.16.0", "0.27.0"}) {
    ExpectLaunch(GeminiBackend(), version, dirs, kResearch,
                 " --include-directories /a");
  }
  for (const absl::string_view version : {"0.17.0", "0.26.0"}) {
    ExpectLaunch(
        GeminiBackend(), version, dirs, "",
        absl::StrCat("extra_dirs: Gemini CLI ", version,
                     " ignores --include-directories; leave it out, or "
                     "update with npm install -g @google/gemini-cli"));
  }
  ExpectLaunch(
      GeminiBackend(), "0.10.0", {}, "",
      "start Gemini CLI 0.10.0: it is older than 0.11.3, the first that "
      "works here; update it with npm install -g @google/gemini-cli");
}

TEST(GeminiBackendTest, CapabilitiesFollowTheVersion) {
  const Backend& backend = GeminiBackend();
  EXPECT_EQ(backend.capabilities({.version = "0.11.3"}),
            (Capabilities{.images = true, .models = true}));
  const Capabilities one_prompt = {
      .resume = true, .images = true, .models = true};
  EXPECT_EQ(backend.capabilities({.version = "0.15.4"}), one_prompt);
  for (const char* const version : {"0.20.0", "0.35.0", "0.61.0", ""}) {
    const Cli cli = {.version = version};
    EXPECT_EQ(backend.wire_capabilities(cli, Wire::kStreamJson), one_prompt);
    const bool loads = cli.version != "0.20.0";
    EXPECT_EQ(backend.wire_capabilities(cli, Wire::kAcp),
              (Capabilities{.follow_up = true,
                            .resume = loads,
                            .interrupt = true,
                            .approvals = true,
                            .images = true,
                            .models = true}));
    EXPECT_EQ(backend.capabilities(cli), (Capabilities{.follow_up = true,
                                                       .resume = true,
                                                       .interrupt = true,
                                                       .approvals = true,
                                                       .images = true,
                                                       .models = true}))
        << version;
  }
}

TEST(GeminiBackendTest, TheWireFollowsWhatTheTaskNeeds) {
  const struct {
    LaunchOptions options;
    absl::string_view version;
    absl::string_view args;
    absl::string_view setup;
  } kCases[] = {
      {{.edit_mode = EditMode::kAsk},
       "0.61.0",
       "--acp --approval-mode default --allowed-tools read_file --policy "
       "/dev/null",
       R"({"cwd":"/w","mode":"default"})"},
      {{.edit_mode = EditMode::kAsk},
       "0.20.0",
       "--experimental-acp --approval-mode default --allowed-tools read_file",
       R"({"cwd":"/w"})"},
      {{.edit_mode = EditMode::kAutoEdit, .interactive = true},
       "0.61.0",
       "--acp --approval-mode auto_edit",
       R"({"cwd":"/w","mode":"autoEdit"})"},
      {{.edit_mode = EditMode::kDangerous, .wire = Wire::kAcp},
       "0.61.0",
       "--acp --approval-mode yolo",
       R"({"cwd":"/w","mode":"yolo"})"},
      {{.model = "m", .approval_policy = "plan", .wire = Wire::kAcp},
       "0.35.0",
       "--acp --approval-mode plan -m m",
       R"({"cwd":"/w","mode":"plan"})"},
      {{.edit_mode = EditMode::kNative}, "0.61.0", "--acp", R"({"cwd":"/w"})"},
      {{.edit_mode = EditMode::kNative, .approval_policy = "plan"},
       "0.61.0",
       "--acp --approval-mode plan",
       R"({"cwd":"/w","mode":"plan"})"},
      {{.edit_mode = EditMode::kNative}, "0.11.3", "-o stream-json", ""},
      {{.edit_mode = EditMode::kNative, .images = {"a.png"}},
       "0.61.0",
       "-o stream-json -p @a.png",
       ""},
      {{.edit_mode = EditMode::kNative, .dangerously_bypass = true},
       "0.61.0",
       "-o stream-json --approval-mode yolo",
       ""},
      {{.wire = Wire::kStreamJson, .interactive = true},
       "0.61.0",
       "-o stream-json --approval-mode default --allowed-tools read_file",
       ""},
  };
  for (const auto& c : kCases) {
    const LaunchRequest request = {.options = c.options, .cwd = "/w"};
    ExpectLaunch(GeminiBackend(), c.version, request, c.args, "");
    const auto launch = GeminiBackend().BuildLaunch(
        request, {.version = std::string(c.version)});
    ASSERT_TRUE(launch.ok());
    EXPECT_EQ(launch->setup_json, c.setup);
    const bool acp = !c.setup.empty();
    EXPECT_EQ(launch->wire, acp ? Wire::kAcp : Wire::kStreamJson);
    EXPECT_EQ(launch->stdin_mode,
              acp ? Launch::Stdin::kConversation : Launch::Stdin::kPrompt);
  }
}

TEST(GeminiBackendTest, ALoadedSessionWaitsForTheNextMinute) {
  const Cli cli = {.version = std::string(kNew)};
  LaunchRequest request = {.options = {.edit_mode = EditMode::kAsk},
                           .cwd = "/w"};
  EXPECT_FALSE(
      GeminiBackend().BuildLaunch(request, cli)->resume_in_later_minute);
  request.resume_session = "1-2";
  const auto launch = GeminiBackend().BuildLaunch(request, cli);
  EXPECT_TRUE(launch->resume_in_later_minute);
  EXPECT_EQ(launch->setup_json,
            R"({"cwd":"/w","resume":"1-2","mode":"default"})");
}

TEST(GeminiBackendTest, WhatAWireCantDo) {
  const struct {
    LaunchRequest request;
    absl::string_view version;
    absl::string_view error;
  } kCases[] = {
      {{.options = {.edit_mode = EditMode::kAsk, .wire = Wire::kStreamJson}},
       kNew,
       "wire stream_json: edit_mode ask needs the wire acp; leave the wire "
       "out"},
      {{.options = {.wire = Wire::kExec}},
       kNew,
       "wire: Gemini CLI has the wires stream_json and acp; choose one of "
       "them, or leave it out"},
      {{.options = {.wire = Wire::kAcp}, .resume_session = "id"},
       "0.20.0",
       "resume_session: Gemini CLI 0.20.0 can't go on with a session; update "
       "with npm install -g @google/gemini-cli"},
      {{.resume_session = "id", .fork_session = true},
       kNew,
       "fork_session: Gemini CLI can't fork a session; go on with the session "
       "itself (troika resume), or start a new task and say in its prompt what "
       "it needs to know"},
      {{.options = {.wire = Wire::kAcp}},
       "0.15.4",
       "wire acp: Gemini CLI 0.15.4 can't talk over the wire acp; update with "
       "npm install -g @google/gemini-cli"},
      {{.options = {.edit_mode = EditMode::kAsk}},
       "0.15.4",
       "wire acp: Gemini CLI 0.15.4 can't talk over the wire acp; update with "
       "npm install -g @google/gemini-cli"},
  };
  for (const auto& c : kCases) {
    ExpectLaunch(GeminiBackend(), c.version, c.request, "", c.error);
  }
}

TEST(GeminiBackendTest, OnAcpImagesAreNoMatterOfTheCommandLine) {
  ExpectLaunch(GeminiBackend(), kNew,
               {.options = {.edit_mode = EditMode::kDangerous,
                            .images = {"/elsewhere/a\"b.png"},
                            .wire = Wire::kAcp},
                .cwd = "/w"},
               "--acp --approval-mode yolo");
}

TEST(GeminiBackendTest, SandboxAndInstructionsAreInTheEnvironment) {
  const Cli cli = {.path = "gemini", .version = std::string(kNew)};
  absl::StatusOr<Launch> launch = GeminiBackend().BuildLaunch({}, cli);
  ASSERT_TRUE(launch.ok());
  EXPECT_THAT(launch->env, IsEmpty());
  EXPECT_EQ(launch->stdin_mode, Launch::Stdin::kPrompt);
  launch = GeminiBackend().BuildLaunch(
      {.options = {.sandbox = "docker", .base_instructions = "/i.md"}}, cli);
  ASSERT_TRUE(launch.ok());
  EXPECT_THAT(launch->env, ElementsAre(Pair("GEMINI_SANDBOX", "docker"),
                                       Pair("GEMINI_SYSTEM_MD", "/i.md")));
}

TEST(GeminiBackendTest, OldVersionsAreNotStartedAgainWithoutEnd) {
  EXPECT_THAT(GeminiBackend().BuildLaunch({}, {.version = "0.22.5"})->env,
              ElementsAre(Pair("GEMINI_CLI_NO_RELAUNCH", "true")));
  EXPECT_THAT(GeminiBackend().BuildLaunch({}, {.version = "0.23.0"})->env,
              IsEmpty());
}

TEST(GeminiBackendTest, NoticesSayWhatIsOpen) {
  const Cli cli = {.version = std::string(kNew)};
  EXPECT_THAT(GeminiBackend().BuildLaunch({}, cli)->notices,
              ElementsAre("research: what the policies in Gemini CLI's own "
                          "folder allow can write"));
  EXPECT_THAT(
      GeminiBackend()
          .BuildLaunch({.options = {.edit_mode = EditMode::kFullAuto}}, cli)
          ->notices,
      ElementsAre("full_auto: Gemini CLI runs commands without a sandbox, and "
                  "they can reach all that its user can; the option sandbox "
                  "gives it one"));
}

TEST(GeminiBackendTest, WhatABackendSaysOfItself) {
  const Backend& backend = GeminiBackend();
  EXPECT_EQ(backend.cli_names.program, "gemini");
  EXPECT_TRUE(backend.resume_keeps_session({.version = "0.20.0"}));
  EXPECT_FALSE(backend.sends_images_inline(Wire::kStreamJson));
  EXPECT_TRUE(backend.sends_images_inline(Wire::kAcp));
}

}  // namespace
}  // namespace troika::gemini
