#include "cli/commands/settings.h"

#include "absl/strings/str_cat.h"
#include "cli/commands/turn.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

Config Example() {
  return {.run = {.harness = "claude", .model = "opus", .timeout = "20m"},
          .folders = {{"/src", {.edit_mode = "ask", .model = "sonnet"}},
                      {"/src/app", {.edit_mode = "auto_edit"}}}};
}

TEST(SettingsTest, TheEnvironmentCountsBeforeTheFolderAndThatBeforeTheFile) {
  const Config config = Example();
  const Environment env({{"TROIKA_EFFORT", "high"}});
  const auto in = [&](absl::string_view cwd, absl::string_view name) {
    for (const Setting& setting : SettingsFor(config, env, cwd)) {
      if (setting.name != name) continue;
      return absl::StrCat(setting.value, " ", setting.source);
    }
    return std::string();
  };
  EXPECT_EQ(in("/", "model"), "opus [run]");
  EXPECT_EQ(in("/src/app/lib", "model"), "sonnet [folder.\"/src\"]");
  EXPECT_EQ(in("/src/app/lib", "edit_mode"), "auto_edit [folder.\"/src/app\"]");
  EXPECT_EQ(in("/src/application", "edit_mode"), "ask [folder.\"/src\"]");
  EXPECT_EQ(in("/srcs", "edit_mode"), " ");
  EXPECT_EQ(in("/", "effort"), "high TROIKA_EFFORT");
}

TEST(SettingsTest, FlagsCountBeforeAll) {
  const Config config = Example();
  const auto read = [&](std::vector<std::string> args) {
    const auto options = ReadRunOptions(args, config);
    EXPECT_TRUE(options.ok()) << options.status();
    return options.value_or(RunOptions());
  };
  RunOptions run = read({"--cwd", "/src/app", "fix it"});
  EXPECT_EQ(run.request.harness, Harness::kClaude);
  EXPECT_EQ(run.turn.prompt.argument, "fix it");
  EXPECT_EQ(run.request.options.model, "sonnet");
  EXPECT_EQ(run.request.options.edit_mode, EditMode::kAutoEdit);
  EXPECT_EQ(run.request.timeouts.turn, absl::Minutes(20));
  run = read({"codex", "fix it", "--edit-mode", "research", "--cwd", "/src/app",
              "--timeout", "1m"});
  EXPECT_EQ(run.request.harness, Harness::kCodex);
  EXPECT_EQ(run.request.options.model, "") << "it is a model of Claude";
  EXPECT_EQ(run.request.options.edit_mode, EditMode::kResearch);
  EXPECT_EQ(run.request.timeouts.turn, absl::Minutes(1));
  run = read({"codex", "--sandbox", "read-only", "--cwd", "/src", "x"});
  EXPECT_EQ(run.request.options.edit_mode, std::nullopt);
  EXPECT_FALSE(ReadRunOptions(std::vector<std::string>{}).ok());
}

TEST(SettingsTest, LimitsByFileAndFolder) {
  const Config config = {
      .run = {.harness = "codex", .idle_timeout = "5m", .max_cost = "$2.50"},
      .folders = {{"/src", {.max_cost = "1", .max_tokens = "200k"}}}};
  const auto read = [&](std::vector<std::string> args,
                        const Environment& env = {}) {
    const auto options = ReadRunOptions(args, config, env);
    EXPECT_TRUE(options.ok()) << options.status();
    return options.value_or(RunOptions()).request;
  };
  TaskRequest run = read({"--cwd", "/", "fix it"});
  EXPECT_EQ(run.timeouts.idle, absl::Minutes(5));
  EXPECT_EQ(run.budget.cost_microusd, 2500000);
  EXPECT_EQ(run.budget.tokens, std::nullopt);
  run = read({"--cwd", "/src", "fix it", "--max-tokens", "7", "--max-time=1h"});
  EXPECT_EQ(run.budget,
            (notes::Budget{
                .cost_microusd = 1000000, .tokens = 7, .time_ms = 3600000}));
  run = read({"--cwd", "/src", "x"}, Environment({{"TROIKA_MAX_TURNS", "3"}}));
  EXPECT_EQ(run.budget.turns, 3);
  EXPECT_EQ(ReadRunOptions(std::vector<std::string>{"x", "--cwd", "/"}, config,
                           Environment({{"TROIKA_MAX_COST", "much"}}))
                .status(),
            absl::InvalidArgumentError(
                "the setting max_cost of TROIKA_MAX_COST: --max-cost much is "
                "not an amount of dollars above 0, as 2.50"));
}

}  // namespace
}  // namespace troika::cli
