#include <string>

#include "absl/strings/str_cat.h"
#include "agent/backend.h"
#include "agent/testing_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::codex {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::string_view kWrites =
    R"({"type":"workspaceWrite","writableRoots":[],"networkAccess":false,)"
    R"("excludeTmpdirEnvVar":false,"excludeSlashTmp":false})";

absl::StatusOr<Launch> Build(const LaunchRequest& request,
                             absl::string_view version = "0.166.0") {
  return CodexBackend().BuildLaunch(
      request, {.path = "codex", .version = std::string(version)});
}

std::string Error(const LaunchRequest& request,
                  absl::string_view version = "0.166.0") {
  return std::string(Build(request, version).status().message());
}

std::string SetupOf(absl::string_view policy, absl::string_view sandbox) {
  return absl::StrCat(R"({"thread":{"cwd":"/w","approvalPolicy":")", policy,
                      R"(","sandbox":"read-only"},"turn":{"approvalPolicy":")",
                      policy, R"(","sandboxPolicy":)", sandbox, "}}");
}

TEST(AppServerLaunchTest, ATaskThatOnlyReadsMovesOnlyIfItIsAskedTo) {
  LaunchRequest request = {.cwd = "/w", .converses = true};
  EXPECT_EQ(Build(request)->wire, Wire::kExec);
  request.options.edit_mode = EditMode::kFullAuto;
  EXPECT_EQ(Build(request)->wire, Wire::kAppServer);
  EXPECT_EQ(Build(request)->fallback, Wire::kExec);
  // Nothing tells app-server to leave out the user's rules.
  const auto asked = Build({.options = {.interactive = true}, .cwd = "/w"});
  EXPECT_EQ(asked->wire, Wire::kAppServer);
  EXPECT_THAT(asked->notices, ElementsAre(HasSubstr("rules in Codex's own")));
}

TEST(AppServerLaunchTest, ForksASession) {
  LaunchRequest request = {.cwd = "/w",
                           .resume_session = "s",
                           .fork_session = true,
                           .fork_point = "turn-1"};
  const auto launch = Build(request);
  ASSERT_TRUE(launch.ok()) << launch.status();
  EXPECT_EQ(launch->wire, Wire::kAppServer);
  EXPECT_THAT(launch->setup_json,
              HasSubstr(R"("fork":{"lastTurnId":"turn-1"})"));
  EXPECT_THAT(Error(request, "0.124.0"),
              HasSubstr("can't fork a session at an earlier turn"));
  request.fork_point.clear();
  EXPECT_THAT(Build(request, "0.124.0")->setup_json, HasSubstr(R"("fork":{})"));
  EXPECT_THAT(Error(request, "0.63.0"),
              HasSubstr("fork_session: Codex CLI 0.63.0 can't fork a session"));
  request.options.wire = Wire::kExec;
  EXPECT_THAT(Error(request), HasSubstr("by app_server only"));
}

TEST(AppServerLaunchTest, OnlyTasksThatMayAskUseIt) {
  const struct {
    LaunchOptions options;
    Wire wire;
  } kCases[] = {
      {{}, Wire::kExec},
      {{.edit_mode = EditMode::kFullAuto}, Wire::kExec},
      {{.edit_mode = EditMode::kDangerous}, Wire::kExec},
      {{.approval_policy = "never"}, Wire::kExec},
      {{.edit_mode = EditMode::kAsk}, Wire::kAppServer},
      {{.approval_policy = "on-request"}, Wire::kAppServer},
      {{.interactive = true}, Wire::kAppServer},
      {{.wire = Wire::kAppServer}, Wire::kAppServer},
      {{.wire = Wire::kExec}, Wire::kExec},
      {{.edit_mode = EditMode::kNative}, Wire::kAppServer},
      {{.edit_mode = EditMode::kNative, .sandbox = "read-only"},
       Wire::kAppServer},
      {{.edit_mode = EditMode::kNative, .approval_policy = "never"},
       Wire::kExec},
      {{.edit_mode = EditMode::kNative, .dangerously_bypass = true},
       Wire::kExec},
      // app-server takes no profile.
      {{.edit_mode = EditMode::kNative, .profile = "p"}, Wire::kExec},
  };
  for (const auto& c : kCases) {
    const auto launch = Build({.options = c.options, .cwd = "/w"});
    ASSERT_TRUE(launch.ok()) << launch.status();
    EXPECT_EQ(launch->wire, c.wire);
    EXPECT_EQ(launch->stdin_mode, c.wire == Wire::kExec
                                      ? Launch::Stdin::kPrompt
                                      : Launch::Stdin::kConversation);
    EXPECT_EQ(launch->setup_json.empty(), c.wire == Wire::kExec);
    EXPECT_EQ(launch->needs_git_repository, c.wire == Wire::kAppServer);
  }
  EXPECT_EQ(Error({.options = {.wire = Wire::kAcp}}),
            "wire: Codex CLI has exec and app_server");
  EXPECT_THAT(
      Error({.options = {.edit_mode = EditMode::kAsk, .wire = Wire::kExec}}),
      HasSubstr("wire: codex exec asks nothing"));
}

TEST(AppServerLaunchTest, ThreadsCantWriteAndTurnsCan) {
  const struct {
    LaunchOptions options;
    std::string setup;
  } kCases[] = {
      {{.edit_mode = EditMode::kAsk}, SetupOf("untrusted", kWrites)},
      {{.approval_policy = "on-request"}, SetupOf("on-request", kWrites)},
      {{.approval_policy = "untrusted", .sandbox = "read-only"},
       SetupOf("untrusted", R"({"type":"readOnly"})")},
      {{.interactive = true}, SetupOf("never", R"({"type":"readOnly"})")},
      {{.edit_mode = EditMode::kFullAuto, .interactive = true},
       SetupOf("on-request", kWrites)},
      {{.edit_mode = EditMode::kFullAuto, .wire = Wire::kAppServer},
       SetupOf("never", kWrites)},
      {{.edit_mode = EditMode::kDangerous, .wire = Wire::kAppServer},
       SetupOf("never", R"({"type":"dangerFullAccess"})")},
  };
  for (const auto& c : kCases) {
    const auto launch = Build({.options = c.options, .cwd = "/w"});
    ASSERT_TRUE(launch.ok()) << launch.status();
    EXPECT_EQ(launch->setup_json, c.setup);
  }
}

// What is not given is left to the user's settings.
TEST(AppServerLaunchTest, NativePassesOnlyWhatIsGiven) {
  const struct {
    LaunchOptions options;
    std::string setup;
  } kCases[] = {
      {{.edit_mode = EditMode::kNative},
       R"({"thread":{"cwd":"/w"},"turn":{}})"},
      {{.edit_mode = EditMode::kNative, .approval_policy = "on-request"},
       R"({"thread":{"cwd":"/w","approvalPolicy":"on-request"},)"
       R"("turn":{"approvalPolicy":"on-request"}})"},
      {{.edit_mode = EditMode::kNative, .sandbox = "read-only"},
       R"({"thread":{"cwd":"/w","sandbox":"read-only"},)"
       R"("turn":{"sandboxPolicy":{"type":"readOnly"}}})"},
      {{.edit_mode = EditMode::kNative,
        .approval_policy = "on-request",
        .sandbox = "workspace-write"},
       SetupOf("on-request", kWrites)},
      {{.edit_mode = EditMode::kNative,
        .dangerously_bypass = true,
        .wire = Wire::kAppServer},
       SetupOf("never", R"({"type":"dangerFullAccess"})")},
  };
  for (const auto& c : kCases) {
    const auto launch = Build({.options = c.options, .cwd = "/w"});
    ASSERT_TRUE(launch.ok()) << launch.status();
    EXPECT_EQ(launch->setup_json, c.setup);
    EXPECT_THAT(launch->argv, ElementsAre("codex", "app-server"));
    EXPECT_THAT(launch->notices, IsEmpty());
  }
}

TEST(AppServerLaunchTest, OptionsBecomeSettingsAndParameters) {
  const auto launch = Build(
      {.options = {.model = "gpt-5.5",
                   .edit_mode = EditMode::kAsk,
                   .config = {"a.b=1",
                              "sandbox_workspace_write.network_access=true"},
                   .output_schema = "s.json",
                   .skip_git_check = true,
                   .extra_dirs = {"/x"},
                   .effort = "high",
                   .ephemeral = true},
       .cwd = "/w",
       .output_schema_text = R"({"type":"object"})"});
  ASSERT_TRUE(launch.ok()) << launch.status();
  EXPECT_THAT(launch->argv,
              ElementsAre("codex", "app-server", "-c",
                          "model_reasoning_effort=\"high\"", "-c", "a.b=1",
                          "-c", "sandbox_workspace_write.network_access=true"));
  EXPECT_EQ(launch->setup_json,
            R"({"thread":{"cwd":"/w","model":"gpt-5.5",)"
            R"("approvalPolicy":"untrusted","sandbox":"read-only",)"
            R"("ephemeral":true},"turn":{"approvalPolicy":"untrusted",)"
            R"("sandboxPolicy":{"type":"workspaceWrite","writableRoots":)"
            R"(["/x"],"networkAccess":true,"excludeTmpdirEnvVar":false,)"
            R"("excludeSlashTmp":false},"outputSchema":{"type":"object"}}})");
  EXPECT_FALSE(launch->needs_git_repository);
  EXPECT_THAT(launch->notices, ElementsAre(HasSubstr("ask: Codex runs")));
}

TEST(AppServerLaunchTest, PoliciesThatAVersionLacks) {
  const LaunchRequest on_failure = {
      .options = {.approval_policy = "on-failure"}, .cwd = "/w"};
  auto launch = Build(on_failure);
  ASSERT_TRUE(launch.ok()) << launch.status();
  EXPECT_EQ(launch->setup_json, SetupOf("on-request", kWrites));
  EXPECT_THAT(launch->notices, ElementsAre(HasSubstr("on-request is used")));
  launch = Build(on_failure, "0.124.0");
  ASSERT_TRUE(launch.ok()) << launch.status();
  EXPECT_EQ(launch->setup_json, SetupOf("on-failure", kWrites));
  EXPECT_THAT(launch->notices, IsEmpty());
  EXPECT_EQ(Error({.options = {.approval_policy = "sometimes"}}),
            "approval_policy: Codex CLI has no \"sometimes\"; it has "
            "untrusted, on-request, never");
  EXPECT_THAT(
      Error({.options = {.approval_policy = "on-request", .sandbox = "open"}}),
      HasSubstr("sandbox: Codex CLI has no \"open\""));
}

TEST(AppServerLaunchTest, WithoutItATaskThatNeverAsksRunsOnExec) {
  const auto launch = Build({.options = {.interactive = true}}, "0.98.0");
  ASSERT_TRUE(launch.ok()) << launch.status();
  EXPECT_EQ(launch->wire, Wire::kExec);
  EXPECT_THAT(launch->notices,
              testing::Contains(HasSubstr("takes no input while it works")));
}

TEST(AppServerLaunchTest, Refusals) {
  EXPECT_THAT(Error({.options = {.edit_mode = EditMode::kAsk}}, "0.63.0"),
              HasSubstr("edit_mode ask: Codex CLI 0.63.0 can't ask before it "
                        "acts; update with"));
  EXPECT_THAT(Error({.options = {.edit_mode = EditMode::kAsk, .profile = "p"}}),
              HasSubstr("profile: Codex CLI can't do this; name"));
  EXPECT_THAT(Error({.options = {.edit_mode = EditMode::kAsk,
                                 .approval_policy = "on-request"}}),
              HasSubstr("both say what the agent may do"));
}

}  // namespace
}  // namespace troika::codex
