#include "task/make.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "task/kept_texts.h"
#include "task/load_testing.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MakeTest : public ::testing::Test {
 protected:
  absl::StatusOr<TaskFolder> Make(TaskRequest request,
                                  const Environment& environment) {
    auto cli = FindCliOf(BackendOf(request.harness), ForAgents(environment),
                         home_.home().version_cache());
    auto made = MakeTask(home_.home(), std::move(request), environment,
                         std::move(cli), &clock_);
    if (!made.ok()) return made.status();
    EXPECT_TRUE(SyncTask(made->folder).ok());
    return std::move(made->folder);
  }
  TaskRequest Request() const {
    return {.harness = Harness::kCodex, .prompt = "do", .cwd = home_.cwd()};
  }
  Environment Env() const {
    return home_.EnvironmentFor(Harness::kCodex, "ok");
  }

  TestHome home_;
  SystemClock clock_;
};

TEST_F(MakeTest, KeepsWhatWasAskedFor) {
  TaskRequest request = Request();
  request.options.model = "m";
  request.options.edit_mode = EditMode::kFullAuto;
  request.idempotency_key = "key";
  request.parent = "t0";
  const auto folder = Make(request, Env());
  ASSERT_TRUE(folder.ok()) << folder.status();
  const auto state = Load(*folder, [](Message&&) {});
  ASSERT_TRUE(state.ok());
  EXPECT_EQ(state->task, folder->id);
  EXPECT_EQ(state->parent, "t0");
  EXPECT_EQ(state->asked_model, "m");
  EXPECT_EQ(state->edit_mode, EditMode::kFullAuto);
  EXPECT_EQ(state->last_request_key, "key");
  EXPECT_EQ(state->turns_waiting, 1);
  EXPECT_THAT(ReadWhole(folder->path + "/log.v1"),
              HasSubstr(R"("idempotency_key":"key","parent":"t0")"));
}

TEST_F(MakeTest, APreparedFolderBecomesTheTasks) {
  const auto prepared = home_.home().PrepareFolder();
  ASSERT_TRUE(prepared.ok()) << prepared.status();
  EXPECT_THAT(home_.home().TaskIds(), IsEmpty());
  struct stat before = {}, after = {};
  ASSERT_EQ(stat(prepared->c_str(), &before), 0);
  const auto cli = FindCliOf(BackendOf(Harness::kCodex), Env(),
                             home_.home().version_cache());
  const auto make = [&] {
    return MakeTask(home_.home(), Request(), Env(), cli, &clock_,
                    [&] { return *prepared; });
  };
  auto made = make();
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_EQ(fstat(made->folder.fd.get(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_TRUE(SyncTask(made->folder).ok());
  const auto state = Load(made->folder, [](Message&&) {});
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->task, made->folder.id);
  // It is gone now, so that a folder is made.
  EXPECT_TRUE(make().ok());
  EXPECT_EQ(home_.home().TaskIds().size(), 2u);
  home_.home().RemovePreparedFolders();
  EXPECT_EQ(home_.home().TaskIds().size(), 2u);
}

TEST_F(MakeTest, APreparedFolderThatWasChangedIsNotUsed) {
  const auto cli = FindCliOf(BackendOf(Harness::kCodex), Env(),
                             home_.home().version_cache());
  const auto remove = [](const std::string& path) {
    std::filesystem::remove_all(path);
  };
  const std::string elsewhere = home_.path() + "/elsewhere";
  std::filesystem::create_directory(elsewhere);
  const std::vector<std::function<void(const std::string&)>> kChanges = {
      [&](const std::string& path) {
        remove(path);
        std::filesystem::create_symlink(elsewhere, path);
      },
      [&](const std::string& path) {
        remove(path);
        std::ofstream(path) << "a file";
      },
      [&](const std::string& path) {
        remove(path + "/log.v1");
        std::filesystem::create_symlink(elsewhere + "/x", path + "/log.v1");
      },
      [&](const std::string& path) {
        std::ofstream(path + "/log.v1") << "something";
      },
      [&](const std::string& path) { chmod(path.c_str(), 0777); },
  };
  for (const auto& change : kChanges) {
    const auto prepared = home_.home().PrepareFolder();
    ASSERT_TRUE(prepared.ok()) << prepared.status();
    change(*prepared);
    const auto made = MakeTask(home_.home(), Request(), Env(), cli, &clock_,
                               [&] { return *prepared; });
    ASSERT_TRUE(made.ok()) << made.status();
    const auto state = Load(made->folder, [](Message&&) {});
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_EQ(state->task, made->folder.id);
  }
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));
  EXPECT_EQ(home_.home().TaskIds().size(), kChanges.size());
}

TEST_F(MakeTest, EnvironmentIsKeptWithoutWhatIsNotTheAgents) {
  Environment::Map variables = Env().variables();
  for (const char* name :
       {"TROIKA_TOKEN", "TROIKA_URL", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT",
        "CODEX_SANDBOX", "GEMINI_CLI", "PWD", "OLDPWD", "SHLVL", "_"}) {
    variables[name] = "x";
  }
  variables["TROIKA_HOME"] = "/h";
  variables["CLAUDE_CODE_OAUTH_TOKEN"] = "t";
  const auto folder = Make(Request(), Environment(variables));
  ASSERT_TRUE(folder.ok()) << folder.status();
  const auto kept = ReadEnvironment(*folder);
  ASSERT_TRUE(kept.ok());
  Environment::Map expected = Env().variables();
  expected["TROIKA_HOME"] = "/h";
  expected["CLAUDE_CODE_OAUTH_TOKEN"] = "t";
  EXPECT_EQ(kept->variables(), expected);
}

TEST_F(MakeTest, PathsAreTakenFromTheTasksFolder) {
  std::ofstream(home_.cwd() + "/a.png") << "x";
  TaskRequest request = Request();
  request.options.images = {"a.png"};
  const auto folder = Make(request, Env());
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_THAT(ReadWhole(folder->path + "/log.v1"),
              HasSubstr(home_.cwd() + "/a.png"));
}

TEST_F(MakeTest, RefusedRequestsLeaveNothing) {
  TaskRequest request = Request();
  request.cwd = "work";
  EXPECT_THAT(Make(request, Env()).status().message(),
              HasSubstr("no absolute path"));
  request = Request();
  request.prompt = "  ";
  EXPECT_TRUE(absl::IsInvalidArgument(Make(request, Env()).status()));
  request = Request();
  request.cwd += "/missing";
  EXPECT_TRUE(absl::IsNotFound(Make(request, Env()).status()));
  EXPECT_THAT(home_.home().TaskIds(), IsEmpty());
}

TEST_F(MakeTest, PathsWithANulByteAreRefused) {
  const std::string nul = home_.cwd() + std::string("\0x", 2);
  TaskRequest requests[6];
  for (TaskRequest& request : requests) request = Request();
  requests[0].cwd = nul;
  requests[1].options.images = {nul + ".png"};
  requests[2].options.extra_dirs = {nul};
  requests[3].options.output_schema = nul;
  requests[4].options.base_instructions = nul;
  requests[5].options.last_message_file = nul;
  for (const TaskRequest& request : requests) {
    const absl::Status refused = Make(request, Env()).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_THAT(refused.message(), HasSubstr("NUL byte"));
  }
}

TEST_F(MakeTest, AModelThatTheCliLacksMayGiveWay) {
  const auto made = [&](absl::string_view model, bool fallback,
                        absl::string_view version) {
    TaskRequest request = Request();
    request.options.model = std::string(model);
    request.model_fallback = fallback;
    Environment::Map variables = Env().variables();
    variables["TROIKA_FAKE_VERSION"] = std::string(version);
    const auto folder = Make(request, Environment(std::move(variables)));
    EXPECT_TRUE(folder.ok()) << folder.status();
    return folder.ok() ? ReadWhole(folder->path + "/log.v1") : "";
  };
  const std::string lacks = made("gpt-gone", true, "0.166.0");
  EXPECT_THAT(lacks,
              HasSubstr("Codex CLI 0.166.0 has no model gpt-gone: its own"));
  EXPECT_THAT(lacks, testing::Not(HasSubstr(R"("model":"gpt-gone")")));
  for (const std::string& kept : {made("gpt-mini", true, "0.166.0"),
                                  made("gpt-gone", false, "0.166.0")}) {
    EXPECT_THAT(kept, HasSubstr(R"("model":"gpt-)"));
    EXPECT_THAT(kept, testing::Not(HasSubstr("notices")));
  }
}

// An old version can't be asked.
TEST_F(MakeTest, AModelOfACliThatCantListItsModelsIsPassed) {
  TaskRequest request = Request();
  request.options.model = "gpt-gone";
  request.model_fallback = true;
  Environment::Map variables = Env().variables();
  variables["TROIKA_FAKE_VERSION"] = "0.63.0";
  const auto folder = Make(request, Environment(std::move(variables)));
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_THAT(ReadWhole(folder->path + "/log.v1"),
              HasSubstr(R"("model":"gpt-gone")"));
}

TEST_F(MakeTest, TextsAreKeptInFilesOfTheTask) {
  for (const Harness harness : {Harness::kCodex, Harness::kClaude}) {
    TaskRequest request = Request();
    request.harness = harness;
    request.base_instructions_text = "Be brief.\n";
    request.output_schema_json = R"({"type":"object"})";
    const auto folder = Make(request, home_.EnvironmentFor(harness, "ok"));
    ASSERT_TRUE(folder.ok()) << folder.status();
    for (const auto& [name, text] :
         {std::pair(kBaseInstructionsName, "Be brief.\n"),
          std::pair(kOutputSchemaName, R"({"type":"object"})")}) {
      const std::string path = absl::StrCat(folder->path, "/", name);
      EXPECT_EQ(ReadWhole(path), text);
      struct stat info = {};
      ASSERT_EQ(stat(path.c_str(), &info), 0);
      EXPECT_EQ(info.st_mode & 0777, 0600u);
      EXPECT_THAT(ReadWhole(folder->path + "/log.v1"), HasSubstr(path));
    }
    EXPECT_THAT(ReadWhole(folder->path + "/log.v1"),
                testing::Not(HasSubstr("Be brief")));
    // A fork has files of its own.
    TaskRequest fork = Request();
    fork.harness = harness;
    fork.resume_session = "s";
    fork.fork_session = true;
    fork.fork = {.task = folder->id, .turn = 1};
    fork.options.base_instructions = folder->path + "/base_instructions";
    fork.options.skip_git_check = harness == Harness::kCodex;
    const auto forked = Make(fork, home_.EnvironmentFor(harness, "ok"));
    ASSERT_TRUE(forked.ok()) << forked.status();
    EXPECT_EQ(ReadWhole(forked->path + "/base_instructions"), "Be brief.\n");
  }
}

TEST_F(MakeTest, TextsThatCantBeUsedAreRefused) {
  TaskRequest requests[5];
  for (TaskRequest& request : requests) request = Request();
  requests[0].output_schema_json = "{";
  requests[1].output_schema_json = "[]";
  requests[2].output_schema_json = "{}";
  requests[2].options.output_schema = "/dev/null";
  requests[3].base_instructions_text = "x";
  requests[3].options.base_instructions = "/dev/null";
  requests[4].base_instructions_text = std::string((1 << 20) + 1, 'x');
  const char* const reasons[] = {
      "output_schema_json is no JSON: ",
      "output_schema_json is no JSON object but ",
      "output_schema_json and options.output_schema are both given",
      "base_instructions_text and options.base_instructions are both given",
      "base_instructions_text has 1048577 bytes, over the limit of 1048576"};
  for (size_t i = 0; i < std::size(requests); ++i) {
    const absl::Status refused = Make(requests[i], Env()).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_THAT(refused.message(), HasSubstr(reasons[i]));
  }
  EXPECT_THAT(home_.home().TaskIds(), IsEmpty());
}

TEST_F(MakeTest, ErrorsOfImagesSayWhatIsWrong) {
  const std::string missing = home_.path() + "/missing.png";
  const std::string folder = home_.path() + "/folder.png";
  std::filesystem::create_directory(folder);
  for (const ImageForm form : {ImageForm::kPath, ImageForm::kData}) {
    absl::Status refused = ReadImages({missing}, form).status();
    EXPECT_TRUE(absl::IsNotFound(refused)) << refused;
    EXPECT_THAT(refused.message(),
                HasSubstr("can't use the image: read " + missing));
    refused = ReadImages({folder}, form).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
    EXPECT_THAT(refused.message(), HasSubstr("it is a folder"));
  }
}

// Every file that a request can name: one that is too large, even if it has no
// blocks on the disk, and one whose opening would wait for a writer.
TEST_F(MakeTest, NamedFilesAreCheckedBeforeTheyAreRead) {
  const std::string sparse = home_.path() + "/sparse.png";
  std::ofstream(sparse) << "x";
  std::filesystem::resize_file(sparse, uintmax_t{1} << 40);
  const std::string pipe = home_.path() + "/pipe.png";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const struct {
    std::string path, reason;
  } cases[] = {{sparse, "over the limit of"},
               {pipe, "a pipe"},
               {"/dev/zero", ""},
               {home_.path(), ""}};
  for (const auto& c : cases) {
    for (const Harness harness : {Harness::kCodex, Harness::kClaude}) {
      TaskRequest requests[3] = {Request(), Request(), Request()};
      requests[0].options.images = {c.path};
      requests[1].options.output_schema = c.path;
      requests[2].options.base_instructions = c.path;
      for (TaskRequest& request : requests) {
        request.harness = harness;
        const absl::Status refused =
            Make(request, home_.EnvironmentFor(harness, "ok")).status();
        EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
        EXPECT_THAT(refused.message(), HasSubstr(c.path));
        EXPECT_THAT(refused.message(), HasSubstr(c.reason));
      }
    }
  }
}

TEST_F(MakeTest, FoldersEndInNoSlash) {
  const std::string here = std::filesystem::current_path().string();
  for (const char* cwd : {"", ".", "./", "a/.."}) {
    TaskRequest request;
    request.cwd = cwd;
    MakePathsAbsolute(&request);
    EXPECT_EQ(request.cwd, here);
  }
  TaskRequest root;
  root.cwd = "/";
  MakePathsAbsolute(&root);
  EXPECT_EQ(root.cwd, "/");
}

TEST_F(MakeTest, EnvironmentsThatNoProgramCanHaveAreRefused) {
  Environment::Map variables = Env().variables();
  const size_t limit = 128 << 10;
  variables["LONG"] = std::string(limit - 6, 'x');  // "LONG=" and NUL.
  const auto folder = Make(Request(), Environment(variables));
  EXPECT_TRUE(folder.ok()) << folder.status();
  variables["LONG"] += 'x';
  absl::Status refused = Make(Request(), Environment(variables)).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("variable LONG has 131073 bytes"));
  variables["LONG"] = std::string(1001, 'x');
  for (int i = 0; i < 2000; ++i) {
    variables[absl::StrCat("V", i)] = std::string(1000 - 2, 'x');
  }
  refused = Make(Request(), Environment(variables)).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("the largest variable is LONG"));
  EXPECT_EQ(home_.home().TaskIds().size(), 1u);
}

TEST_F(MakeTest, ManyThreadsMakeTasksOfTheirOwn) {
  ASSERT_TRUE(Make(Request(), Env()).ok());  // Asks for the version.
  const Environment env = Env();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10; ++n) {
        EXPECT_TRUE(Make(Request(), env).ok());
        EXPECT_TRUE(
            Home::Open(Environment({{"TROIKA_HOME", home_.home().path()}}))
                .ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(home_.home().TaskIds().size(), 41u);
}

TEST_F(MakeTest, FoldersAreTheOwnersAlone) {
  const std::string path = home_.path() + "/new/deep/troika";
  ASSERT_TRUE(Home::Open(Environment({{"TROIKA_HOME", path}})).ok());
  for (const char* name : {"", "/tasks", "/cache", "/.."}) {
    struct stat info = {};
    ASSERT_EQ(stat(absl::StrCat(path, name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u) << name;
  }
  std::ofstream(home_.path() + "/file") << "x";
  EXPECT_THAT(
      Home::Open(Environment({{"TROIKA_HOME", home_.path() + "/file/x"}}))
          .status()
          .message(),
      HasSubstr("make "));
}

}  // namespace
}  // namespace troika
