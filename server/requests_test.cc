// What requests may ask for: routes, their description, limits.
#include <unistd.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/ability_range.h"
#include "agent/registry.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "server/agent_policy.h"
#include "server/caller.h"
#include "server/routes.h"
#include "server/secrets.h"

namespace troika {
namespace {

TEST(RoutesTest, ArgumentsAreDecodedAndPathsAreStrict) {
  const Match match = MatchRoute("GET", "/api/v1/tasks/a%20b/raw/7");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.args, (std::vector<std::string>{"a b", "7"}));
  EXPECT_EQ(MatchRoute("POST", "/api/v1/sessions/a%2Fb/import").args,
            std::vector<std::string>{"a/b"});
  for (const char* path :
       {"/", "", "/api/v1", "/api/v1/tasks/", "/api/v1//tasks",
        "/api/v1/tasks/../tasks", "/api/v1/tasks/%2e%2e", "/api/v1/tasks/a%00",
        "/api/v1/tasks/%", "/API/V1/TASKS", "/api/v1/tasks/a/b"}) {
    EXPECT_EQ(MatchRoute("GET", path).route, nullptr) << path;
  }
  EXPECT_EQ(MatchRoute("PUT", "/api/v1/tasks").methods,
            (std::vector<absl::string_view>{"POST", "GET"}));
  EXPECT_NE(MatchRoute("HEAD", "/healthz").route, nullptr);
}

TEST(RoutesTest, QueriesHoldOnlyWhatIsKnown) {
  const auto check = [](absl::string_view method, absl::string_view path,
                        absl::string_view query) {
    return CheckParameters(*MatchRoute(method, path).route, query);
  };
  EXPECT_TRUE(
      check("GET", "/api/v1/tasks/a/events", "after=1.0&page_size=1&parser=2")
          .ok());
  EXPECT_TRUE(check("POST", "/api/v1/tasks", "").ok());
  const absl::Status unknown =
      check("GET", "/api/v1/tasks/a/events", "after=1.0&pagesize=1");
  EXPECT_EQ(unknown.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(absl::StrContains(unknown.message(), "\"pagesize\"")) << unknown;
  EXPECT_TRUE(absl::StrContains(unknown.message(), "page_size")) << unknown;
  EXPECT_FALSE(check("GET", "/api/v1/events", "after=1").ok());
  EXPECT_FALSE(check("GET", "/healthz", "a").ok());
  EXPECT_FALSE(check("POST", "/api/v1/tasks", "%").ok());
}

TEST(OpenApiTest, DescribesEveryRouteAndNothingElse) {
  json::Parser parser;
  const std::string text = OpenApiJson();
  const auto document = parser.Parse(text);
  ASSERT_TRUE(document.ok()) << document.status();
  std::set<std::string> described;
  std::set<std::string> ids;
  for (const auto& [path, methods] : document->Get("paths").members()) {
    for (const auto& [method, operation] : methods.members()) {
      described.insert(absl::StrCat(method, " ", path));
      EXPECT_TRUE(
          ids.insert(std::string(operation.Get("operationId").StringOr("")))
              .second);
    }
  }
  std::set<std::string> routes;
  for (const Route& route : Routes()) {
    routes.insert(
        absl::StrCat(absl::AsciiStrToLower(route.method), " ", route.path));
  }
  EXPECT_EQ(described, routes);
  // Every schema that is named is there.
  const json::Value schemas = document->Get("components").Get("schemas");
  const std::string kRef = "#/components/schemas/";
  for (size_t at = text.find(kRef); at != std::string::npos;
       at = text.find(kRef, at + 1)) {
    const size_t begin = at + kRef.size();
    const std::string name = text.substr(begin, text.find('"', begin) - begin);
    EXPECT_TRUE(schemas.Get(name).IsObject()) << name;
  }
}

class AgentLimitsTest : public testing::Test {
 protected:
  AgentLimitsTest() {
    mkdir(own_.c_str(), 0700);
    mkdir((own_ + "/sub").c_str(), 0700);
    mkdir((own_ + "-other").c_str(), 0700);
    std::ofstream(own_ + "/in.png") << "x";
    std::ofstream(folder_.path() + "/out.png") << "x";
    EXPECT_EQ(symlink("../out.png", (own_ + "/link.png").c_str()), 0);
    EXPECT_EQ(symlink("..", (own_ + "/up").c_str()), 0);
  }
  AgentLimits Limits(EditMode mode, Harness harness = Harness::kCodex) const {
    return {.abilities =
                AbilitiesOf(BackendOf(harness), {.edit_mode = mode}, "").least,
            .permissions = "its own",
            .cwd = own_};
  }
  std::string Freer(EditMode mode, LaunchOptions options) const {
    TaskRequest request = {.cwd = own_, .options = std::move(options)};
    return ExceedsLimits(Limits(mode), &request);
  }
  std::string FreerIn(const std::string& cwd) const {
    TaskRequest request = {.cwd = cwd};
    return ExceedsLimits(Limits(EditMode::kResearch), &request);
  }

  const TempFolder folder_;
  const std::string own_ = folder_.path() + "/own";
};

TEST_F(AgentLimitsTest, NativeTasksOfAgentsOnlyRead) {
  TaskRequest request = {.cwd = own_,
                         .options = {.edit_mode = EditMode::kNative}};
  EXPECT_NE(Freer(EditMode::kFullAuto, request.options), "");
  LowerNative(&request);
  EXPECT_EQ(request.options.edit_mode, EditMode::kResearch);
  EXPECT_EQ(request.notices.size(), 1u);
  EXPECT_EQ(ExceedsLimits(Limits(EditMode::kResearch), &request), "");
  // What is given besides is compared as it is.
  request = {.cwd = own_,
             .options = {.edit_mode = EditMode::kNative,
                         .sandbox = "workspace-write"}};
  LowerNative(&request);
  EXPECT_EQ(request.options.edit_mode, EditMode::kNative);
  EXPECT_TRUE(request.notices.empty());
  EXPECT_NE(ExceedsLimits(Limits(EditMode::kResearch), &request), "");
  EXPECT_EQ(ExceedsLimits(Limits(EditMode::kFullAuto), &request), "");
}

TEST_F(AgentLimitsTest, DefaultModesAreLoweredToTheAgentsOwn) {
  const auto lowered = [&](EditMode own, Harness harness, EditMode wanted) {
    return LoweredMode(Limits(own), BackendOf(harness), wanted);
  };
  EXPECT_EQ(lowered(EditMode::kFullAuto, Harness::kCodex, EditMode::kFullAuto),
            EditMode::kFullAuto);
  EXPECT_EQ(lowered(EditMode::kResearch, Harness::kCodex, EditMode::kFullAuto),
            EditMode::kResearch);
  // Claude Code's full_auto has no sandbox.
  EXPECT_EQ(lowered(EditMode::kFullAuto, Harness::kClaude, EditMode::kFullAuto),
            EditMode::kAutoEdit);
  EXPECT_EQ(lowered(EditMode::kDangerous, Harness::kCodex, EditMode::kResearch),
            EditMode::kResearch);
}

TEST_F(AgentLimitsTest, OnlyWhatIsKnownToBeHarmlessIsAllowed) {
  std::set<std::string> allowed;
  ForEachField<LaunchOptions>([&](const auto& field) {
    LaunchOptions options;
    auto& to = field.Of(options);
    using To = std::decay_t<decltype(to)>;
    if constexpr (std::is_same_v<To, std::optional<EditMode>>) {
      to = EditMode::kFullAuto;
    } else if constexpr (std::is_same_v<To, std::optional<Wire>>) {
      to = Wire::kExec;
    } else if constexpr (std::is_same_v<To, std::vector<std::string>>) {
      to = {"x"};
    } else if constexpr (std::is_same_v<To, std::string>) {
      to = "x";
    } else {
      to = true;
    }
    if (Freer(EditMode::kFullAuto, options).empty()) {
      allowed.insert(std::string(field.name));
    }
  });
  // Images, schemas and a web search can be right or wrong.
  EXPECT_EQ(allowed, (std::set<std::string>{"model", "edit_mode", "effort",
                                            "verbosity", "plan_tool"}));
  EXPECT_EQ(Freer(EditMode::kResearch, {.web_search = false}), "");
  EXPECT_EQ(Freer(EditMode::kResearch, {.config = {"a=b"}}), "config");
}

TEST_F(AgentLimitsTest, TheEditModeIsAtMostItsOwn) {
  EXPECT_EQ(Freer(EditMode::kResearch, {}), "");
  EXPECT_NE(Freer(EditMode::kResearch, {.edit_mode = EditMode::kAutoEdit}), "");
  EXPECT_EQ(Freer(EditMode::kFullAuto, {.edit_mode = EditMode::kAutoEdit}), "");
  EXPECT_NE(Freer(EditMode::kFullAuto, {.edit_mode = EditMode::kDangerous}),
            "");
}

// Which modes of one harness an agent of another may start. codex full_auto
// runs commands in a sandbox, and claude full_auto without one.
TEST_F(AgentLimitsTest, ModesOfHarnessesAreComparedByWhatTheyCanDo) {
  const auto allowed = [&](Harness own, EditMode mode, Harness harness) {
    std::string modes;
    for (const EditMode wanted : {EditMode::kResearch, EditMode::kAutoEdit,
                                  EditMode::kFullAuto, EditMode::kDangerous}) {
      TaskRequest request = {
          .harness = harness, .cwd = own_, .options = {.edit_mode = wanted}};
      if (ExceedsLimits(Limits(mode, own), &request).empty()) {
        absl::StrAppend(&modes, EditModeId(wanted), " ");
      }
    }
    return modes;
  };
  const Harness codex = Harness::kCodex, claude = Harness::kClaude,
                gemini = Harness::kGemini;
  const EditMode research = EditMode::kResearch, edit = EditMode::kAutoEdit,
                 full = EditMode::kFullAuto;
  const std::string all_but_dangerous = "research auto_edit full_auto ";
  EXPECT_EQ(allowed(codex, full, codex), all_but_dangerous);
  EXPECT_EQ(allowed(codex, full, claude), "research auto_edit ");
  EXPECT_EQ(allowed(codex, full, gemini), "research ");
  EXPECT_EQ(allowed(codex, full, Harness::kDemo), "research auto_edit ");
  EXPECT_EQ(allowed(codex, research, claude), "research ");
  EXPECT_EQ(allowed(claude, full, codex), all_but_dangerous);
  EXPECT_EQ(allowed(claude, full, gemini), all_but_dangerous);
  EXPECT_EQ(allowed(claude, edit, codex), "research ");
  EXPECT_EQ(allowed(claude, edit, claude), "research auto_edit ");
  EXPECT_EQ(allowed(claude, edit, gemini), "research ");
  EXPECT_EQ(allowed(gemini, edit, claude), "");
  EXPECT_EQ(allowed(gemini, edit, gemini), "research auto_edit ");
  EXPECT_EQ(allowed(gemini, research, gemini), "research ");
}

TEST_F(AgentLimitsTest, ErrorsSayWhatIsTooMuchAndWhatIsNot) {
  TaskRequest request = {.harness = Harness::kClaude,
                         .cwd = own_,
                         .options = {.edit_mode = EditMode::kFullAuto}};
  EXPECT_EQ(ExceedsLimits(Limits(EditMode::kFullAuto), &request),
            "edit_mode full_auto of claude, which could edit files outside its "
            "folder, run commands without a sandbox and reach the network, "
            "unlike its own (its own); with claude it may use edit_mode "
            "research or ask or auto_edit");
}

TEST_F(AgentLimitsTest, NativeSettingsAreComparedByWhatTheyCanDo) {
  const EditMode full = EditMode::kFullAuto;
  EXPECT_EQ(Freer(full, {.sandbox = "read-only"}), "");
  EXPECT_EQ(
      Freer(full, {.approval_policy = "never", .sandbox = "workspace-write"}),
      "");
  EXPECT_NE(Freer(EditMode::kResearch, {.sandbox = "workspace-write"}), "");
  EXPECT_NE(Freer(full, {.sandbox = "danger-full-access"}), "");
  EXPECT_NE(Freer(full, {.sandbox = "some-new-mode"}), "");
  EXPECT_NE(Freer(full, {.dangerously_bypass = true}), "");
}

TEST_F(AgentLimitsTest, PathsStayWithinItsFolder) {
  const EditMode mode = EditMode::kResearch;
  EXPECT_EQ(Freer(mode, {.images = {"in.png", own_ + "/in.png"}}), "");
  EXPECT_EQ(Freer(mode, {.output_schema = "sub/../in.png"}), "");
  for (const std::string path :
       {"../out.png", "link.png", "up/out.png", "missing.png", "/etc/passwd"}) {
    EXPECT_NE(Freer(mode, {.images = {"in.png", path}}), "") << path;
    EXPECT_NE(Freer(mode, {.output_schema = path}), "") << path;
  }
  EXPECT_EQ(FreerIn(own_ + "/sub"), "");
  EXPECT_EQ(FreerIn(own_ + "/"), "");
  EXPECT_EQ(FreerIn(own_ + "/up/own/sub"), "");
  for (const std::string cwd :
       {"/", "/..", "-other", "/sub/..//..", "/up", "/none"}) {
    EXPECT_NE(FreerIn(cwd == "/" ? cwd : own_ + cwd), "") << cwd;
  }
  EXPECT_NE(FreerIn(own_ + std::string("\0/..", 4)), "");
}

TEST_F(AgentLimitsTest, WhatWasLookedAtIsWhatIsUsed) {
  TaskRequest request = {.cwd = own_ + "/up/own/sub",
                         .options = {.images = {"../in.png"}}};
  ASSERT_EQ(ExceedsLimits(Limits(EditMode::kResearch), &request), "");
  EXPECT_EQ(request.cwd, *ResolveWithin("/", own_ + "/sub"));
  EXPECT_EQ(request.options.images[0], *ResolveWithin("/", own_ + "/in.png"));
}

TEST(ErrorForClientTest, ErrorsOfMakingATaskAreSafeAndClear) {
  const absl::Status missing = ErrorForClient(
      absl::NotFoundError("no folder /x/secret-value-1"), {"secret-value-1"});
  EXPECT_EQ(missing, absl::NotFoundError("no folder /x/[redacted]"));
  const absl::Status full =
      ErrorForClient(absl::ErrnoToStatus(ENOSPC, "write the log"), {});
  EXPECT_EQ(full.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(absl::StrContains(full.message(), "free some space")) << full;
  const absl::Status queue = absl::ResourceExhaustedError("9 tasks wait");
  EXPECT_EQ(ErrorForClient(queue, {}), queue);
}

TEST(CallerTest, AgentsHaveKeysOfTheirOwn) {
  const Caller owner;
  EXPECT_EQ(owner.OwnKey("k"), "k");
  const Caller agent = {.role = Caller::Role::kAgent, .task = "t1"};
  EXPECT_EQ(agent.OwnKey(""), "");
  EXPECT_EQ(agent.OwnKey("k"), "agent of t1\nk");
}

}  // namespace
}  // namespace troika
