#include "task/policy_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/policy_hold.h"
#include "task/policy_judge.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kAllowMake = "prefix_rule(pattern = [\"make\"])";

class PolicyFilesTest : public ::testing::Test {
 protected:
  PolicyFilesTest()
      : home_(
            *Home::Open(Environment({{"TROIKA_HOME", folder_.Path("home")}}))) {
    folder_.Write("work/.git/x", "");
    folder_.Write("work/sub/x", "");
  }
  std::string project() const { return folder_.Path("work/.troika"); }
  absl::Status Trust(const std::string& folder) {
    return TrustFolder(home_, folder,
                       PolicyDigest(ReadPolicyFolder(folder, "")),
                       absl::FromUnixSeconds(1));
  }
  TaskRequest Collected(TaskRequest request = {}) {
    request.cwd = folder_.Path("work/sub");
    EXPECT_EQ(CollectPolicy(home_, &request), absl::OkStatus());
    return request;
  }
  policy::Verdict Judge(const TaskRequest& request, absl::string_view command) {
    return JudgeApproval(home_,
                         {.copied = request.policy,
                          .cwd = request.cwd,
                          .approval = {.kind = Approval::Kind::kCommandLine,
                                       .command = std::string(command),
                                       .exact = true}});
  }

  TempFolder folder_;
  Home home_;
};

TEST_F(PolicyFilesTest, AProjectCountsOnceItIsTrusted) {
  folder_.Write("work/.troika/a.rules", absl::StrCat(kAllowMake, "\n"));
  TaskRequest untrusted = Collected();
  EXPECT_THAT(untrusted.policy, IsEmpty());
  ASSERT_THAT(untrusted.notices, SizeIs(1));
  EXPECT_THAT(untrusted.notices[0], HasSubstr("troika policy trust"));
  EXPECT_FALSE(Judge(untrusted, "make").allowed());

  EXPECT_TRUE(absl::IsFailedPrecondition(
      TrustFolder(home_, project(), "other", absl::Now())));
  ASSERT_EQ(Trust(project()), absl::OkStatus());
  TaskRequest trusted = Collected();
  EXPECT_THAT(trusted.notices, IsEmpty());
  ASSERT_THAT(trusted.policy, SizeIs(1));
  EXPECT_TRUE(Judge(trusted, "make").allowed());
  EXPECT_FALSE(trusted.policy_restricts);

  // A change asks again, and widens nothing meanwhile.
  folder_.Write("work/.troika/a.rules", "prefix_rule(pattern = [\"rm\"])\n");
  EXPECT_FALSE(Judge(trusted, "make").allowed());
  EXPECT_FALSE(Judge(trusted, "rm x").allowed());
  const TaskRequest changed = Collected();
  EXPECT_EQ(changed.policy[0].text, absl::StrCat(kAllowMake, "\n"));
  EXPECT_THAT(changed.notices[0], HasSubstr("have changed"));
  ASSERT_EQ(Trust(project()), absl::OkStatus());
  EXPECT_TRUE(Judge(trusted, "rm x").allowed());

  ASSERT_EQ(UntrustFolder(home_, project()), absl::OkStatus());
  EXPECT_FALSE(Judge(trusted, "rm x").allowed());
  EXPECT_TRUE(absl::IsNotFound(UntrustFolder(home_, project())));
  struct stat info = {};
  ASSERT_EQ(stat((home_.policy_path() + "/trusted.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(PolicyFilesTest, TheUsersOwnChangesAreStricterOnlyForTasksThatRun) {
  folder_.Write("home/policy/u.rules", absl::StrCat(kAllowMake, "\n"));
  const TaskRequest task = Collected();
  EXPECT_TRUE(Judge(task, "make").allowed());
  folder_.Write("home/policy/new.rules", "prefix_rule(pattern = [\"ls\"])\n");
  EXPECT_FALSE(Judge(task, "ls").allowed());
  EXPECT_THAT(Judge(task, "ls").explanation, HasSubstr("policy trust"));
  EXPECT_TRUE(Judge(task, "make").allowed());
  EXPECT_TRUE(Judge(Collected(), "ls").allowed());
  ASSERT_EQ(Trust(home_.policy_path()), absl::OkStatus());
  EXPECT_TRUE(Judge(task, "ls").allowed());
  folder_.Write("home/policy/new.rules", "nonsense\n");
  EXPECT_FALSE(Judge(task, "make").allowed());
  EXPECT_THAT(Collected().notices[0], HasSubstr("new.rules:1:"));
  EXPECT_TRUE(Collected().policy_restricts);
  std::filesystem::remove(home_.policy_path() + "/new.rules");
  std::filesystem::remove(home_.policy_path() + "/u.rules");
  EXPECT_FALSE(Judge(task, "make").allowed());
}

TEST_F(PolicyFilesTest, ADamagedListOfTrustTrustsNothing) {
  folder_.Write("work/.troika/a.rules", absl::StrCat(kAllowMake, "\n"));
  ASSERT_EQ(Trust(project()), absl::OkStatus());
  for (const char* text : {"", "{", "[]]", "{\"folders\":3}"}) {
    folder_.Write("home/policy/trusted.json", text);
    EXPECT_FALSE(Judge(Collected(), "make").allowed()) << text;
    EXPECT_TRUE(absl::IsDataLoss(Trust(project()))) << text;
  }
}

TEST_F(PolicyFilesTest, FilesOfATask) {
  folder_.Write("task.rules", absl::StrCat(kAllowMake, "\n"));
  TaskRequest asked;
  asked.policy_files = {folder_.Path("task.rules")};
  const TaskRequest task = Collected(asked);
  EXPECT_TRUE(Judge(task, "make").allowed());
  // A task of its agent has them, too.
  TaskRequest child;
  child.inherited_policy = task.policy;
  EXPECT_TRUE(Judge(Collected(child), "make").allowed());
  std::filesystem::remove(folder_.Path("task.rules"));
  EXPECT_TRUE(Judge(task, "make").allowed());
  folder_.Write("task.rules", "");
  EXPECT_FALSE(Judge(task, "make").allowed());
  for (const char* text : {"broken(", "\xff"}) {
    folder_.Write("task.rules", text);
    TaskRequest broken = asked;
    broken.cwd = folder_.Path("work");
    EXPECT_TRUE(absl::IsInvalidArgument(CollectPolicy(home_, &broken)));
  }
}

TEST_F(PolicyFilesTest, CommandsThatNameRulesAreAsked) {
  folder_.Write("home/policy/u.rules", "prefix_rule(pattern = [\"cp\"])\n");
  const TaskRequest task = Collected();
  EXPECT_TRUE(Judge(task, "cp a b").allowed());
  EXPECT_FALSE(Judge(task, "cp a .troika/b").allowed());
  EXPECT_FALSE(
      Judge(task, absl::StrCat("cp a ", home_.policy_path(), "/b")).allowed());
}

TEST_F(PolicyFilesTest, LinksAreFollowedAlsoToWhatIsMissing) {
  folder_.Write("home/policy/a.rules", "edit_rule(paths = [\"docs/**\"])\n");
  folder_.Write("work/sub/docs/plain.md", "");
  const std::string docs = folder_.Path("work/sub/docs/");
  symlink((home_.policy_path() + "/evil.rules").c_str(),
          (docs + "rules.md").c_str());
  symlink("../../../outside.md", (docs + "outside.md").c_str());
  symlink("plain.md", (docs + "inside.md").c_str());
  symlink("loop.md", (docs + "loop.md").c_str());
  const TaskRequest request = Collected();
  const auto edits = [&](absl::string_view path) {
    return JudgeApproval(home_, {.copied = request.policy,
                                 .cwd = request.cwd,
                                 .approval = {.kind = Approval::Kind::kEdit,
                                              .paths = {std::string(path)}}})
        .allowed();
  };
  EXPECT_TRUE(edits("docs/plain.md"));
  EXPECT_TRUE(edits("docs/new.md"));
  EXPECT_TRUE(edits("docs/inside.md"));
  EXPECT_FALSE(edits("docs/rules.md"));
  EXPECT_FALSE(edits("docs/outside.md"));
  EXPECT_FALSE(edits("docs/loop.md"));
}

TEST_F(PolicyFilesTest, RulesHoldInTheFolderThatTheyAreWrittenFor) {
  folder_.Write("home/policy/a.rules",
                "edit_rule(paths = [\"**/*.yml\", \"*.yml\"])\n"
                "edit_rule(paths = [\"sub/**\"], decision = \"forbidden\")\n");
  const TaskRequest request = Collected();
  PolicyCase asked = {
      .copied = request.policy,
      .cwd = request.cwd,
      .approval = {.kind = Approval::Kind::kEdit, .paths = {"x.yml"}}};
  EXPECT_TRUE(JudgeApproval(home_, asked).allowed());
  asked.policy_folder = folder_.Path("work");
  EXPECT_TRUE(JudgeApproval(home_, asked).forbidden());
}

TEST_F(PolicyFilesTest, ARelativeProgramInAnotherFolderIsAsked) {
  folder_.Write("home/policy/a.rules",
                "prefix_rule(pattern = [\"./test.sh\"])\n"
                "prefix_rule(pattern = [\"git\"])\n");
  const TaskRequest request = Collected();
  const auto runs = [&](absl::string_view command, const std::string& cwd) {
    return JudgeApproval(home_,
                         {.copied = request.policy,
                          .cwd = request.cwd,
                          .approval = {.kind = Approval::Kind::kCommandLine,
                                       .command = std::string(command),
                                       .cwd = cwd,
                                       .exact = true}})
        .allowed();
  };
  EXPECT_TRUE(runs("./test.sh", ""));
  EXPECT_TRUE(runs("./test.sh", request.cwd));
  EXPECT_FALSE(runs("./test.sh", "/tmp/evil"));
  EXPECT_FALSE(runs("git status && ./test.sh", "/tmp/evil"));
  EXPECT_TRUE(runs("git status", "/tmp/evil"));
}

TEST_F(PolicyFilesTest, AddsARuleOnce) {
  const std::string path = home_.policy_path() + "/user.rules";
  ASSERT_EQ(AddUserRule(home_, kAllowMake, "by ann\nfrom t1"),
            absl::OkStatus());
  ASSERT_EQ(AddUserRule(home_, kAllowMake, "again"), absl::OkStatus());
  EXPECT_EQ(folder_.Read("home/policy/user.rules"),
            absl::StrCat("# by ann from t1\n", kAllowMake, "\n"));
  struct stat info = {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_TRUE(absl::IsInvalidArgument(AddUserRule(home_, "nonsense", "")));
  folder_.Write("home/policy/user.rules", "broken(");
  EXPECT_TRUE(absl::IsFailedPrecondition(AddUserRule(home_, kAllowMake, "")));
  // A link is not followed.
  folder_.Write("elsewhere", "");
  std::filesystem::remove(path);
  std::filesystem::create_symlink(folder_.Path("elsewhere"), path);
  EXPECT_TRUE(absl::IsFailedPrecondition(AddUserRule(home_, kAllowMake, "")));
  EXPECT_EQ(folder_.Read("elsewhere"), "");
}

TEST(PolicyHoldTest, OnlyModesThatAskHold) {
  EXPECT_EQ(DoneWithoutAsking(Harness::kClaude, {.edit_mode = EditMode::kAsk}),
            "");
  EXPECT_EQ(DoneWithoutAsking(Harness::kClaude, {}), "");
  EXPECT_NE(DoneWithoutAsking(Harness::kCodex, {}), "");
  for (const EditMode mode : {EditMode::kAutoEdit, EditMode::kFullAuto,
                              EditMode::kDangerous, EditMode::kNative}) {
    for (const Harness harness :
         {Harness::kClaude, Harness::kCodex, Harness::kGemini}) {
      EXPECT_NE(DoneWithoutAsking(harness, {.edit_mode = mode}), "");
    }
  }
  EXPECT_NE(DoneWithoutAsking(Harness::kClaude, {.edit_mode = EditMode::kAsk,
                                                 .dangerously_bypass = true}),
            "");
}

}  // namespace
}  // namespace troika
