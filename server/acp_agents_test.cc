#include "server/acp_agents.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Caller kOwner = {};
const Caller kAgent = {.role = Caller::Role::kAgent, .task = "t"};

Config TestConfig() {
  Config config;
  config.acp["mine"] = {.command = {"mine", "--acp"}};
  config.acp["shared"] = {.command = {"shared"}, .agents = true};
  return config;
}

absl::StatusOr<std::vector<std::string>> Resolve(const Caller& caller,
                                                 absl::string_view agent) {
  TaskRequest request = {.harness = Harness::kAcp};
  request.agent = std::string(agent);
  const absl::Status status = ResolveAcpAgent(caller, TestConfig(), &request);
  if (!status.ok()) return status;
  return request.options.acp_command;
}

TEST(AcpAgentsTest, CommandsAreSplitLikeAShell) {
  EXPECT_THAT(*SplitCommand("a  --b c"), ElementsAre("a", "--b", "c"));
  EXPECT_THAT(*SplitCommand(R"(a 'b c' "d \" e" f\ g '')"),
              ElementsAre("a", "b c", "d \" e", "f g", ""));
  EXPECT_THAT(*SplitCommand("a $HOME `x` '\\'"),
              ElementsAre("a", "$HOME", "`x`", "\\"));
  EXPECT_THAT(*SplitCommand(" \n"), IsEmpty());
  EXPECT_EQ(SplitCommand("a 'b").status(),
            absl::InvalidArgumentError(
                "the command of acp: has no closing ': add it"));
}

TEST(AcpAgentsTest, TheOwnerNamesAgentsAndCommands) {
  EXPECT_THAT(*Resolve(kOwner, "acp:x --acp"), ElementsAre("x", "--acp"));
  EXPECT_THAT(*Resolve(kOwner, "mine"), ElementsAre("mine", "--acp"));
  EXPECT_THAT(*Resolve(kOwner, "shared"), ElementsAre("shared"));
}

TEST(AcpAgentsTest, AgentsGetOnlyWhatIsMarkedForThem) {
  EXPECT_THAT(*Resolve(kAgent, "shared"), ElementsAre("shared"));
  for (const absl::string_view name : {"mine", "acp:shared", "acp:x"}) {
    EXPECT_TRUE(absl::IsPermissionDenied(Resolve(kAgent, name).status()))
        << name;
  }
}

TEST(AcpAgentsTest, ErrorsSayWhatThereIs) {
  EXPECT_THAT(std::string(Resolve(kOwner, "codx").status().message()),
              HasSubstr("unknown harness \"codx\"; there are: codex, claude, "
                        "gemini, acp:COMMAND, and the agents of config.toml: "
                        "mine, shared"));
  for (const absl::string_view none : {"acp", "acp:", "acp: "}) {
    EXPECT_THAT(std::string(Resolve(kOwner, none).status().message()),
                HasSubstr("needs a command"));
  }
}

}  // namespace
}  // namespace troika
