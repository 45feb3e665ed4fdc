#include "cli/commands/doctor_checks.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DoctorTest, ReadsLogindAsSystemdDoes) {
  EXPECT_FALSE(KillsUserProcesses({"", "#KillUserProcesses=yes\n"}));
  EXPECT_TRUE(KillsUserProcesses({"[Login]\n KillUserProcesses = Yes \n"}));
  EXPECT_FALSE(
      KillsUserProcesses({"KillUserProcesses=yes\n", "KillUserProcesses=no"}));
}

TEST(DoctorTest, WarnsWhereALogoutEndsAgents) {
  namespace fs = std::filesystem;
  const std::string root =
      absl::StrCat(getenv("TEST_TMPDIR"), "/root", getpid());
  const Environment me({{"USER", "me"}, {"HOME", "/home/me"}});
  EXPECT_THAT(CheckLogout(root, me), IsEmpty());
  fs::create_directories(root + "/run/systemd/system");
  fs::create_directories(root + "/etc/systemd");
  EXPECT_EQ(CheckLogout(root, me)[0].level, Check::Level::kOk);
  std::ofstream(root + "/etc/systemd/logind.conf") << "KillUserProcesses=yes";
  EXPECT_THAT(CheckLogout(root, me)[0].text, HasSubstr("KillUserProcesses"));
  const std::string enabled =
      root + "/home/me/.config/systemd/user/default.target.wants";
  fs::create_directories(enabled);
  std::ofstream(enabled + "/troika.service") << "x";
  EXPECT_THAT(CheckLogout(root, me)[0].text, HasSubstr("enable-linger"));
  fs::create_directories(root + "/var/lib/systemd/linger");
  std::ofstream(root + "/var/lib/systemd/linger/me") << "";
  EXPECT_EQ(CheckLogout(root, me)[0].level, Check::Level::kOk);
}

TEST(DoctorTest, OneUsableHarnessIsEnough) {
  v1::ListHarnessesResponse list;
  v1::HarnessInfo& codex = *list.add_harnesses();
  codex.set_id("codex");
  codex.set_hint("npm install it");
  auto checks = CheckHarnesses(list);
  EXPECT_EQ(checks.back().level, Check::Level::kBad);
  EXPECT_THAT(checks[0].text, HasSubstr("not found; npm install it"));
  codex.set_path("/bin/codex");
  codex.set_logged_in(false);
  EXPECT_EQ(CheckHarnesses(list).back().level, Check::Level::kBad);
  codex.set_logged_in(true);
  EXPECT_EQ(CheckHarnesses(list).back().level, Check::Level::kOk);
}

TEST(DoctorTest, ASandboxThatCantWorkIsAWarning) {
  v1::ListHarnessesResponse list;
  v1::HarnessInfo& codex = *list.add_harnesses();
  codex.set_id("codex");
  codex.set_path("/bin/codex");
  codex.set_logged_in(true);
  codex.set_sandbox_error("it can't set up its sandbox; do this");
  const auto checks = CheckHarnesses(list);
  ASSERT_EQ(checks.size(), 2);
  EXPECT_EQ(checks[0].level, Check::Level::kOk);
  EXPECT_EQ(checks[1].level, Check::Level::kWarning);
  EXPECT_EQ(checks[1].name, "codex");
  EXPECT_EQ(checks[1].text, "it can't set up its sandbox; do this");
}

TEST(DoctorTest, TheFolderIsTheOwnersAlone) {
  const std::string home =
      absl::StrCat(getenv("TEST_TMPDIR"), "/state", getpid());
  std::filesystem::create_directories(home);
  chmod(home.c_str(), 0700);
  EXPECT_EQ(CheckHome(home)[0].level, Check::Level::kOk);
  chmod(home.c_str(), 0755);
  EXPECT_THAT(CheckHome(home)[0].text, HasSubstr("chmod 700"));
  EXPECT_EQ(CheckHome(home + "/none")[0].level, Check::Level::kBad);
}

TEST(DoctorTest, HooksThatFailAreShownOnceEach) {
  v1::ListHooksResponse list;
  EXPECT_TRUE(CheckHooks(list).empty());
  list.add_hooks()->set_name("phone");
  ASSERT_EQ(CheckHooks(list).size(), 1u);
  EXPECT_EQ(CheckHooks(list)[0].text, "1 configured");
  for (int i = 0; i < 2; ++i) {
    v1::HookDelivery& delivery = *list.add_deliveries();
    delivery.set_hook("phone");
    delivery.set_error("HTTP status 500");
  }
  list.set_config_error("c:1: broken");
  const std::vector<Check> checks = CheckHooks(list);
  ASSERT_EQ(checks.size(), 2u);
  EXPECT_EQ(checks[0].level, Check::Level::kBad);
  EXPECT_EQ(checks[0].text, "c:1: broken");
  EXPECT_EQ(checks[1].level, Check::Level::kWarning);
  EXPECT_EQ(checks[1].text,
            "phone can't be told: HTTP status 500; see `troika hooks`");
}

}  // namespace
}  // namespace troika::cli
