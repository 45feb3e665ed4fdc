#include "agent/discovery/models.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/discovery/discovery.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ModelsTest : public testing::Test {
 protected:
  // Installs a CLI of this version, which counts its runs as app-server.
  void Install(absl::string_view version, absl::string_view app_server) {
    folder_.WriteProgram(
        "bin/codex", absl::StrCat("case $1 in --version) echo codex-cli ",
                                  version, ";;\napp-server) echo x >> ",
                                  folder_.Path("runs"), "\nread a; read b\n",
                                  app_server, "\n;;\n*) exit 2;; esac\n"));
  }

  absl::StatusOr<Cli> Find() {
    return FindCli(CodexBackend().cli_names, env_,
                   {.cache_path = folder_.Path("c.json"), .runner = &runner_});
  }

  absl::StatusOr<std::vector<std::string>> List(
      absl::Duration deadline = absl::Seconds(20)) {
    const absl::StatusOr<Cli> cli = Find();
    if (!cli.ok()) return cli.status();
    return ListModels(CodexBackend(), *cli, env_,
                      {.cache_path = folder_.Path("c.json"),
                       .deadline = deadline,
                       .runner = &runner_});
  }

  TempFolder folder_;
  ProcessRunner runner_;
  const Environment env_{
      {{"PATH", absl::StrCat(folder_.Path("bin"), ":/usr/bin:/bin")}}};
};

TEST_F(ModelsTest, AsksTheCliOncePerVersion) {
  Install("0.166.0",
          "read ask; echo '{\"method\":\"configWarning\"}'\n"
          "case $ask in *troika-models*model/list*)\n"
          "echo '{\"id\":\"troika-models\",\"result\":{\"data\":[{\"model\":"
          "\"gpt-a\"},{\"model\":\"gpt-b\"}]}}' ;; esac\ncat");
  EXPECT_THAT(Find()->models, IsEmpty());
  const auto models = List();
  ASSERT_TRUE(models.ok()) << models.status();
  EXPECT_THAT(*models, ElementsAre("gpt-a", "gpt-b"));
  EXPECT_THAT(Find()->models, ElementsAre("gpt-a", "gpt-b"));
  EXPECT_THAT(List().value(), ElementsAre("gpt-a", "gpt-b"));
  EXPECT_EQ(folder_.Read("runs"), "x\n");
  Install("0.167.0",
          "read ask\necho '{\"id\":\"troika-models\",\"result\":{\"data\":"
          "[{\"model\":\"gpt-c\"}]}}'\ncat");
  EXPECT_THAT(Find()->models, IsEmpty());
  EXPECT_THAT(List().value(), ElementsAre("gpt-c"));
  EXPECT_EQ(folder_.Read("runs"), "x\nx\n");
}

TEST_F(ModelsTest, WhatCantBeListedIsAnErrorAndIsAskedAgain) {
  Install("0.34.0", "");
  EXPECT_TRUE(absl::IsUnimplemented(List().status()));
  Install("0.166.0", "cat > /dev/null");
  EXPECT_TRUE(absl::IsDeadlineExceeded(List(absl::Milliseconds(200)).status()));
  Install("0.166.1",
          "echo '{\"id\":\"troika-models\",\"error\":{\"code\":1,"
          "\"message\":\"unknown variant\"}}'; cat");
  EXPECT_THAT(List().status().message(),
              HasSubstr("refused model/list: unknown variant"));
  Install("0.166.2", "echo troika-models '['; cat");
  EXPECT_FALSE(List().ok());
  Install("0.166.3", "echo '{\"id\":\"troika-models\",\"result\":[]}'; cat");
  EXPECT_THAT(List().status().message(), HasSubstr("no models"));
  Install("0.166.4", "exit 0");
  EXPECT_THAT(List().status().message(), HasSubstr("without a reply"));
  EXPECT_FALSE(List().ok());
  EXPECT_EQ(folder_.Read("runs"), "x\nx\nx\nx\nx\nx\n");
  EXPECT_TRUE(absl::IsUnimplemented(
      ListModels(ClaudeBackend(), {.version = "2.1.0"}, env_,
                 {.cache_path = "", .runner = &runner_})
          .status()));
}

}  // namespace
}  // namespace troika
