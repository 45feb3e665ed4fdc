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

TEST(ConfigTest, ErrorsNameTheLine) {
  const struct {
    absl::string_view text;
    absl::string_view error;
  } kCases[] = {
      {"\n[apc.x]\ncommand = [\"a\"]\n",
       "c:2: unknown key \"apc\" in the file; it can have [acp.NAME]"},
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
