#include "agent/discovery/discovery.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "agent/discovery/version_cache.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Replies according to the arguments after the path.
class FakeRunner : public CommandRunner {
 public:
  absl::StatusOr<std::string> Run(const Command& command) override {
    asked.push_back(
        absl::StrJoin(command.argv.begin() + 1, command.argv.end(), " "));
    deadline = command.deadline;
    return answers[asked.back()];
  }

  std::map<std::string, absl::StatusOr<std::string>> answers = {
      {"--version", "prog-cli 1.2.3\n"}, {"exec --help", "the help"}};
  std::vector<std::string> asked;
  absl::Duration deadline;
};

class DiscoveryTest : public testing::Test {
 protected:
  DiscoveryTest() {
    folder_.WriteProgram("bin/prog", "");
    folder_.WriteProgram("other/prog-beta", "");
    folder_.Write("other/not-executable", "");
  }

  absl::StatusOr<Cli> Find(Environment::Map env) {
    env.try_emplace(
        "PATH", absl::StrCat("relative::", folder_.Path("none"), ":",
                             folder_.Path("bin"), ":", folder_.Path("other")));
    return FindCli(
        {.program = "prog",
         .env = {"TROIKA_PROG_BIN", "PROG_PATH"},
         .install = "make install",
         .help = {"exec", "--help"},
         .newest_known = {2, 0, 0},
         .sandbox_probes = probes_},
        Environment(std::move(env)),
        {.cache_path = folder_.Path("cache.json"), .runner = &runner_});
  }

  TempFolder folder_;
  FakeRunner runner_;
  std::vector<SandboxProbe> probes_;
};

TEST_F(DiscoveryTest, TheSandboxIsProbedOnceInTheSameSurroundings) {
  probes_ = {{{1, 0, 0}, {"sandbox", "true"}}};
  runner_.answers["sandbox true"] =
      absl::FailedPreconditionError("run prog:\nbwrap: Can't mount proc\n");
  EXPECT_EQ(Find({})->sandbox_error, "bwrap: Can't mount proc");
  EXPECT_EQ(Find({})->sandbox_error, "bwrap: Can't mount proc");
  EXPECT_THAT(runner_.asked, ElementsAre("--version", "sandbox true"));
  // Installing bwrap may repair the sandbox, so it is probed again.
  folder_.WriteProgram("bin/bwrap", "");
  runner_.answers["sandbox true"] = "";
  EXPECT_EQ(Find({})->sandbox_error, "");
  EXPECT_EQ(Find({})->version, "1.2.3");
  EXPECT_THAT(runner_.asked,
              ElementsAre("--version", "sandbox true", "sandbox true"));
}

TEST_F(DiscoveryTest, ACliIsRememberedUntilItsFileChanges) {
  const CliNames names = {.program = "prog"};
  const Environment env({{"PATH", folder_.Path("bin")}});
  CliMemory memory;
  EXPECT_FALSE(memory.Remembered(names, env).has_value());
  ASSERT_TRUE(memory.Find(names, env, {.runner = &runner_}).ok());
  ASSERT_TRUE(memory.Remembered(names, env).has_value());
  EXPECT_EQ(memory.Remembered(names, env)->version, "1.2.3");
  // Another program comes first on PATH.
  const Environment other(
      {{"PATH", absl::StrCat(folder_.Path("new"), ":", folder_.Path("bin"))}});
  EXPECT_TRUE(memory.Remembered(names, other).has_value());
  folder_.WriteProgram("new/prog", "");
  EXPECT_FALSE(memory.Remembered(names, other).has_value());
  folder_.WriteProgram("bin/prog", "an update");
  EXPECT_FALSE(memory.Remembered(names, env).has_value());
}

TEST_F(DiscoveryTest, OnPath) {
  const absl::StatusOr<Cli> cli = Find({});
  ASSERT_TRUE(cli.ok()) << cli.status();
  EXPECT_EQ(cli->path, folder_.Path("bin/prog"));
  EXPECT_EQ(cli->version, "1.2.3");
  EXPECT_EQ(cli->help, "");
  EXPECT_THAT(runner_.asked, ElementsAre("--version"));
  EXPECT_EQ(runner_.deadline, absl::Seconds(60));
}

TEST_F(DiscoveryTest, VariablesComeFirst) {
  EXPECT_EQ(Find({{"TROIKA_PROG_BIN", folder_.Path("other/prog-beta")},
                  {"PROG_PATH", "/none"}})
                ->path,
            folder_.Path("other/prog-beta"));
  EXPECT_EQ(Find({{"PROG_PATH", "prog-beta"}})->path,
            folder_.Path("other/prog-beta"));
  EXPECT_EQ(Find({{"TROIKA_PROG_BIN", ""}})->path, folder_.Path("bin/prog"));
}

TEST_F(DiscoveryTest, AVariableThatNamesNothingIsAnError) {
  for (const std::string& value :
       {std::string("/none"), std::string("no-such-program"),
        folder_.Path("other/not-executable"), folder_.Path("other")}) {
    EXPECT_EQ(Find({{"TROIKA_PROG_BIN", value}}).status(),
              absl::FailedPreconditionError(absl::StrCat(
                  "find prog: TROIKA_PROG_BIN is \"", value,
                  "\", which is no program that can be executed; correct it or "
                  "unset it")));
  }
  EXPECT_THAT(runner_.asked, IsEmpty());
}

TEST_F(DiscoveryTest, MissingSaysHowToInstall) {
  EXPECT_EQ(
      Find({{"PATH", "/none"}}).status(),
      absl::NotFoundError("find prog: it is not on PATH; install it with make "
                          "install, or name it in TROIKA_PROG_BIN"));
  EXPECT_EQ(Find({{"PATH", ""}}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(DiscoveryTest, HelpOnlyOfVersionsThatTheTableDoesNotKnow) {
  runner_.answers["--version"] = "2.0.1";
  const absl::StatusOr<Cli> cli = Find({});
  EXPECT_EQ(cli->version, "2.0.1");
  EXPECT_EQ(cli->help, "the help");
  EXPECT_EQ(Find({})->help, "the help");
  EXPECT_THAT(runner_.asked, ElementsAre("--version", "exec --help"));
}

TEST_F(DiscoveryTest, AVersionThatCantBeReadIsUnknown) {
  runner_.answers["--version"] = "hello";
  runner_.answers["exec --help"] = absl::InternalError("no");
  const absl::StatusOr<Cli> cli = Find({});
  ASSERT_TRUE(cli.ok());
  EXPECT_EQ(cli->version, "");
  EXPECT_EQ(cli->help, "");
}

TEST_F(DiscoveryTest, AProgramThatFailsIsAnErrorAndAskedAgain) {
  runner_.answers["--version"] = absl::FailedPreconditionError("broken");
  EXPECT_EQ(Find({}).status(), absl::FailedPreconditionError("broken"));
  runner_.answers["--version"] = "1.0.0";
  EXPECT_EQ(Find({})->version, "1.0.0");
}

TEST_F(DiscoveryTest, AskedOnceForEachFile) {
  EXPECT_EQ(Find({})->version, "1.2.3");
  runner_.answers["--version"] = "1.2.4";
  EXPECT_EQ(Find({})->version, "1.2.3");
  EXPECT_THAT(runner_.asked, ElementsAre("--version"));
  // An update that keeps all times; only the inode differs.
  folder_.WriteProgram("bin/prog.new", "");
  std::filesystem::rename(folder_.Path("bin/prog.new"),
                          folder_.Path("bin/prog"));
  EXPECT_EQ(Find({})->version, "1.2.4");
  EXPECT_THAT(runner_.asked, ElementsAre("--version", "--version"));
}

TEST_F(DiscoveryTest, LinksAreAskedByTheirOwnNameAndOnce) {
  std::filesystem::create_symlink("../other/prog-beta",
                                  folder_.Path("bin/prog-link"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Find({{"PROG_PATH", "prog-link"}})->path,
              folder_.Path("bin/prog-link"));
    EXPECT_TRUE(Find({{"PROG_PATH", "prog-beta"}}).ok());
  }
  EXPECT_THAT(runner_.asked, ElementsAre("--version", "--version"));
  // Updates the file that the link points to.
  folder_.WriteProgram("other/new", "");
  std::filesystem::rename(folder_.Path("other/new"),
                          folder_.Path("other/prog-beta"));
  runner_.answers["--version"] = "1.2.4";
  EXPECT_EQ(Find({{"PROG_PATH", "prog-link"}})->version, "1.2.4");
}

TEST_F(DiscoveryTest, AProgramOfSeveralNamesIsAskedEachTime) {
  folder_.WriteProgram("manager/shim", "");
  std::filesystem::create_symlink("../manager/shim", folder_.Path("bin/a"));
  std::filesystem::create_symlink("../manager/shim", folder_.Path("bin/b"));
  EXPECT_EQ(Find({{"PROG_PATH", "a"}})->version, "1.2.3");
  runner_.answers["--version"] = "1.5.0";
  EXPECT_EQ(Find({{"PROG_PATH", "b"}})->version, "1.5.0");
  // The version manager now starts another version, while no file has changed.
  runner_.answers["--version"] = "1.6.0";
  EXPECT_EQ(Find({{"PROG_PATH", "a"}})->version, "1.6.0");
  std::filesystem::create_hard_link(folder_.Path("manager/shim"),
                                    folder_.Path("manager/c"));
  runner_.answers["--version"] = "1.7.0";
  EXPECT_EQ(Find({{"PROG_PATH", folder_.Path("manager/c")}})->version, "1.7.0");
  runner_.answers["--version"] = "1.8.0";
  EXPECT_EQ(Find({{"PROG_PATH", folder_.Path("manager/c")}})->version, "1.8.0");
}

TEST_F(DiscoveryTest, ABrokenCacheIsReplaced) {
  for (const absl::string_view broken :
       {"", "{", "[]", "{\"clis\":[1,{\"path\":2}]}", "\xff\xfe"}) {
    folder_.Write("cache.json", broken);
    runner_.asked.clear();
    EXPECT_EQ(Find({})->version, "1.2.3");
    EXPECT_EQ(Find({})->version, "1.2.3");
    EXPECT_THAT(runner_.asked, ElementsAre("--version")) << broken;
  }
}

TEST_F(DiscoveryTest, ACacheThatCantBeWrittenCostsAQuestion) {
  std::filesystem::create_directory(folder_.Path("cache.json"));
  EXPECT_EQ(Find({})->version, "1.2.3");
  EXPECT_EQ(Find({})->version, "1.2.3");
  EXPECT_THAT(runner_.asked, ElementsAre("--version", "--version"));
  size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_.Path(""))) {
    files += entry.is_regular_file();
  }
  EXPECT_EQ(files, 0u);
}

TEST_F(DiscoveryTest, WithoutARunnerOnlyWhatIsRememberedIsKnown) {
  const Environment env({{"PATH", folder_.Path("bin")}});
  const std::string cache = folder_.Path("cache.json");
  absl::StatusOr<Cli> cli =
      FindCli({.program = "prog"}, env, {.cache_path = cache});
  ASSERT_TRUE(cli.ok()) << cli.status();
  EXPECT_EQ(cli->path, folder_.Path("bin/prog"));
  EXPECT_EQ(cli->version, "");
  FakeRunner runner;
  ASSERT_TRUE(FindCli({.program = "prog"}, env,
                      {.cache_path = cache, .runner = &runner})
                  .ok());
  cli = FindCli({.program = "prog"}, env, {.cache_path = cache});
  ASSERT_TRUE(cli.ok()) << cli.status();
  EXPECT_EQ(cli->version, "1.2.3");
}

TEST_F(DiscoveryTest, ARealProgram) {
  folder_.WriteProgram("bin/prog",
                       "echo x >> \"$0.runs\"\n"
                       "case \"$1\" in\n"
                       "--version) echo 9.9.9 ;;\n"
                       "exec) echo \"$2 of exec\" ;;\n"
                       "esac\n");
  ProcessRunner runner;
  for (int process = 0; process < 2; ++process) {
    const absl::StatusOr<Cli> cli =
        FindCli({.program = "prog", .help = {"exec", "--help"}},
                Environment({{"PATH", folder_.Path("bin")}}),
                {.cache_path = folder_.Path("cache.json"), .runner = &runner});
    ASSERT_TRUE(cli.ok()) << cli.status();
    EXPECT_EQ(cli->version, "9.9.9");
    EXPECT_EQ(cli->help, "--help of exec\n");
  }
  EXPECT_EQ(folder_.Read("bin/prog.runs"), "x\nx\n");
}

}  // namespace
}  // namespace troika
