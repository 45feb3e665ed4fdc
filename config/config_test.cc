#include "config/config.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;

TEST(ConfigTest, AgentsByName) {
  const auto config = ParseConfig(
      "# Agents\n[acp.goose]\ncommand = [\"goose\", \"acp\"]\n"
      "[acp.\"my.agent-2\"]\ncommand = ['/opt/a b']\nagents = true\n",
      "c");
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_EQ(config->acp.size(), 2u);
  EXPECT_THAT(config->acp.at("goose").command, ElementsAre("goose", "acp"));
  EXPECT_FALSE(config->acp.at("goose").agents);
  EXPECT_THAT(config->acp.at("my.agent-2").command, ElementsAre("/opt/a b"));
  EXPECT_TRUE(config->acp.at("my.agent-2").agents);
  EXPECT_EQ(*ParseConfig("", "c"), Config());
}

TEST(ConfigTest, DefaultsByFolder) {
  const auto config = ParseConfig(
      "[run]\nharness = \"claude\"\ntimeout = \"20m\"\n"
      "[folder.\"/src/app\"]\nedit_mode = \"auto_edit\"\n",
      "c");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->run, (RunDefaults{.harness = "claude", .timeout = "20m"}));
  ASSERT_EQ(config->folders.size(), 1u);
  EXPECT_EQ(config->folders.at("/src/app").edit_mode, "auto_edit");
}

TEST(ConfigTest, ErrorsNameTheLine) {
  const struct {
    absl::string_view text;
    absl::string_view error;
  } kCases[] = {
      {"\n[apc.x]\ncommand = [\"a\"]\n",
       "c:2: unknown key \"apc\" in the file; it can have [run], "
       "[folder.\"PATH\"], [acp.NAME] and [hook.NAME]"},
      {"[run]\nmode = \"a\"\n",
       "c:2: unknown key \"mode\" in [run]; it can have harness, edit_mode, "
       "model, effort, timeout, start_timeout, idle_timeout, task_timeout, "
       "approval_timeout, tool_timeout, max_cost, max_tokens, max_turns, "
       "max_time"},
      {"[run]\nmodel = 5\n", "c:2: model is a text in quotes"},
      {"run = 1\n", "c:1: [run] is not a table"},
      {"[folder.\"src\"]\nmodel = \"m\"\n",
       "c:1: the path of a folder is absolute, without a slash at its end"},
      {"acp = 1\n", "c:1: acp is not a table: write [acp.NAME]"},
      {"[acp]\nx = 1\n", "c:2: [acp.x] is not a table"},
      {"[acp.x]\ncomand = [\"a\"]\n",
       "c:2: unknown key \"comand\" in [acp.x]; it has command and agents"},
      {"[acp.x]\nagents = true\n",
       "c:1: [acp.x] needs command = [\"program\", …]"},
      {"[acp.x]\ncommand = \"a b\"\n",
       "c:2: command is a list of words: [\"program\", \"--flag\"]"},
      {"[acp.x]\ncommand = []\n",
       "c:2: command is a list of words: [\"program\", \"--flag\"]"},
      {"[acp.x]\ncommand = [\n\"a\",\n1]\n",
       "c:4: a word of command is not a text"},
      {"[acp.x]\ncommand = [\"a\"]\nagents = \"yes\"\n",
       "c:3: agents is true or false"},
      {"[acp.codex]\ncommand = [\"a\"]\n",
       "c:1: codex is a harness; choose another name"},
      {"[acp.\"a b\"]\ncommand = [\"a\"]\n",
       "c:1: the name of an agent has letters, digits, -, _ and . only"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ParseConfig(c.text, "c").status(),
              absl::InvalidArgumentError(c.error))
        << c.text;
  }
  for (const absl::string_view broken : {"[acp", "a = ", "x", "\xff\n", "="}) {
    const absl::Status status = ParseConfig(broken, "c").status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << broken;
    EXPECT_EQ(status.message().substr(0, 4), "c:1:") << status;
  }
}

TEST(ConfigTest, HooksByName) {
  const auto config = ParseConfig(
      "[hook.phone]\nurl = \"https://ntfy.sh/x\"\nsecret = \"s\"\n"
      "on = [\"asking\", \"cancelled\"]\ntimeout = \"5s\"\n"
      "[hook.desk]\ncommand = [\"notify-send\", \"a b\"]\n"
      "folder = \"/src\"\nharness = \"codex\"\n",
      "c");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->hooks.at("phone"), (Hook{.on = {"asking", "cancelled"},
                                             .url = "https://ntfy.sh/x",
                                             .secret = "s",
                                             .timeout = absl::Seconds(5)}));
  EXPECT_EQ(config->hooks.at("desk"), (Hook{.command = {"notify-send", "a b"},
                                            .folder = "/src",
                                            .harness = "codex"}));
  EXPECT_EQ(HookTarget(config->hooks.at("phone")), "https://ntfy.sh/…");
  EXPECT_EQ(HookTarget({.url = "http://u:p@h:1?token=x"}), "http://h:1/…");
  EXPECT_EQ(HookTarget(config->hooks.at("desk")), "notify-send");
}

TEST(ConfigTest, ErrorsOfHooksNameTheLine) {
  const struct {
    absl::string_view text;
    absl::string_view error;
  } kCases[] = {
      {"hook = 1\n", "c:1: hook is not a table: write [hook.NAME]"},
      {"[hook]\nx = 1\n", "c:2: [hook.x] is not a table"},
      {"[hook.\"a b\"]\nurl = \"http://a\"\n",
       "c:1: the name of a hook has letters, digits, -, _ and . only"},
      {"[hook.x]\non = [\"done\"]\n",
       "c:1: [hook.x] needs either command = [\"program\", …] or url = "
       "\"https://…\""},
      {"[hook.x]\nurl = \"http://a\"\ncommand = [\"a\"]\n",
       "c:1: [hook.x] needs either command = [\"program\", …] or url = "
       "\"https://…\""},
      {"[hook.x]\nurl = \"file:///etc/passwd\"\n",
       "c:2: url begins with https:// or http://, and has neither spaces nor "
       "characters outside of ASCII"},
      {"[hook.x]\nurl = \"http://a b\"\n",
       "c:2: url begins with https:// or http://, and has neither spaces nor "
       "characters outside of ASCII"},
      {"[hook.x]\ncommand = [\"a\"]\non = [\n\"done\",\n\"ended\"]\n",
       "c:5: on is a list of asking, budget, done, failed, interrupted, "
       "cancelled: [\"asking\", \"done\"]"},
      {"[hook.x]\ncommand = [\"a\"]\non = []\n",
       "c:3: on is a list of asking, budget, done, failed, interrupted, "
       "cancelled: [\"asking\", \"done\"]"},
      {"[hook.x]\ncommand = [\"a\"]\nsecret = \"s\"\n",
       "c:1: [hook.x] has a secret, which only a url is signed with"},
      {"[hook.x]\nurl = \"http://a\"\nsecret = \"s\"\nsecret_file = "
       "\"/s\"\n",
       "c:1: [hook.x] has secret and secret_file: leave one of them out"},
      {"[hook.x]\nurl = \"http://a\"\nsecret_file = \"s\"\n",
       "c:3: secret_file is an absolute path"},
      {"[hook.x]\ncommand = [\"a\"]\ntimeout = \"1h\"\n",
       "c:3: timeout is a time from 1s to 10m, such as 30s"},
      {"[hook.x]\ncommand = [\"a\"]\nfolder = \"src\"\n",
       "c:3: the path of a folder is absolute, without a slash at its end"},
      {"[hook.x]\ncommand = [\"a\"]\nharness = \"vim\"\n",
       "c:3: there is no harness \"vim\""},
      {"[hook.x]\ncommand = [\"a\"]\nretries = 3\n",
       "c:3: unknown key \"retries\" in [hook.x]; it has on, command, url, "
       "secret, secret_file, folder, harness and timeout"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(ParseConfig(c.text, "c").status(),
              absl::InvalidArgumentError(c.error))
        << c.text;
  }
}

TEST(ConfigTest, ThePathFollowsTheEnvironment) {
  EXPECT_EQ(
      ConfigPath(Environment({{"XDG_CONFIG_HOME", "/c"}, {"HOME", "/h"}})),
      "/c/troika/config.toml");
  EXPECT_EQ(ConfigPath(Environment({{"XDG_CONFIG_HOME", "c"}, {"HOME", "/h"}})),
            "/h/.config/troika/config.toml");
  EXPECT_EQ(ConfigPath(Environment(Environment::Map())), "");
}

TEST(ConfigTest, AMissingFileIsEmptyAndABrokenOneIsNot) {
  TempFolder folder;
  const Environment env(Environment::Map{{"XDG_CONFIG_HOME", folder.Path("")}});
  EXPECT_EQ(*ReadConfig(env), Config());
  folder.Write("troika/config.toml", "[acp.x]\ncommand = [\"a\"]\n");
  EXPECT_EQ(ReadConfig(env)->acp.size(), 1u);
  folder.Write("troika/config.toml", "[acp.x]\n");
  EXPECT_TRUE(absl::IsInvalidArgument(ReadConfig(env).status()));
}

}  // namespace
}  // namespace troika
