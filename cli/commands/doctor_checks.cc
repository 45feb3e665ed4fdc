#include "cli/commands/doctor_checks.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/io.h"
#include "client/autostart.h"
#include "relay/start.h"

namespace troika::cli {
namespace {

namespace fs = std::filesystem;
using Level = Check::Level;

constexpr double kGiB = 1 << 30;
constexpr double kLittleRoom = 1.0;  // GiB.
constexpr size_t kMaxConfig = size_t{1} << 20;

Check Bad(absl::string_view name, absl::string_view text) {
  return {.level = Level::kBad,
          .name = std::string(name),
          .text = std::string(text)};
}

Check Warning(absl::string_view name, absl::string_view text) {
  return {.level = Level::kWarning,
          .name = std::string(name),
          .text = std::string(text)};
}

Check Found(absl::string_view name, const absl::StatusOr<std::string>& path) {
  if (!path.ok()) return Bad(name, path.status().message());
  return {.name = std::string(name), .text = *path};
}

// Checks that only the owner can use the folder.
Check CheckAccess(const std::string& home) {
  struct stat info = {};
  if (stat(home.c_str(), &info) != 0) {
    return Bad("folder", absl::StrCat(home,
                                      " can't be read: set TROIKA_HOME "
                                      "to a folder of your own"));
  }
  if (info.st_uid != geteuid()) {
    return Bad("folder", absl::StrCat(home,
                                      " belongs to another user: set "
                                      "TROIKA_HOME to a folder of your "
                                      "own"));
  }
  if ((info.st_mode & 077) != 0) {
    return Bad("folder", absl::StrCat(home,
                                      " is open to other users, and logs "
                                      "are secret: chmod 700 ",
                                      home));
  }
  return {.name = "folder", .text = home};
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// Reads logind.conf and its drop-in files, in the order in which they count: by
// name, and of those with the same name the last folder's.
std::vector<std::string> LogindTexts(const std::string& root) {
  std::map<std::string, std::string> files;
  for (const char* folder :
       {"/usr/lib/systemd/logind.conf.d", "/run/systemd/logind.conf.d",
        "/etc/systemd/logind.conf.d"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root + folder, error)) {
      if (entry.path().extension() != ".conf") continue;
      files[entry.path().filename()] = entry.path();
    }
  }
  std::vector<std::string> texts = {
      ReadFile(root + "/etc/systemd/logind.conf", kMaxConfig).value_or("")};
  for (const auto& [name, path] : files) {
    texts.push_back(ReadFile(path, kMaxConfig).value_or(""));
  }
  return texts;
}

Check CheckHarness(const v1::HarnessInfo& harness) {
  Check check = {.name = harness.id()};
  if (harness.path().empty()) {
    check.level = Level::kWarning;
    check.text = "not found";
  } else {
    check.text = absl::StrCat(
        harness.version().empty() ? "unknown version" : harness.version(),
        " at ", harness.path(), ", ",
        !harness.has_logged_in() ? "login can't be checked"
        : harness.logged_in()    ? "logged in"
                                 : "not logged in");
    if (harness.has_logged_in() && !harness.logged_in()) {
      check.level = Level::kWarning;
    }
  }
  if (!harness.hint().empty()) {
    absl::StrAppend(&check.text, "; ", harness.hint());
  }
  return check;
}

}  // namespace

std::vector<Check> CheckPrograms(const Environment& environment) {
  return {Found("relay", relay::FindRelayProgram()),
          Found("program", client::FindServerProgram(environment))};
}

std::vector<Check> CheckHome(const std::string& home) {
  std::vector<Check> checks = {CheckAccess(home)};
  struct statvfs space = {};
  if (statvfs(home.c_str(), &space) != 0) return checks;
  const double free = static_cast<double>(space.f_bavail) *
                      static_cast<double>(space.f_frsize) / kGiB;
  const std::string text = absl::StrFormat("%.1f GiB are free", free);
  checks.push_back(
      free >= kLittleRoom
          ? Check{.name = "space", .text = text}
          : Warning("space",
                    text + "; an agent is ended if its log can't be written"));
  return checks;
}

bool KillsUserProcesses(const std::vector<std::string>& texts) {
  bool kills = false;
  for (const std::string& text : texts) {
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      line = absl::StripAsciiWhitespace(line);
      if (!absl::ConsumePrefix(&line, "KillUserProcesses")) continue;
      line = absl::StripAsciiWhitespace(line);
      if (!absl::ConsumePrefix(&line, "=")) continue;
      const std::string value =
          absl::AsciiStrToLower(absl::StripAsciiWhitespace(line));
      kills = value == "yes" || value == "true" || value == "1" ||
              value == "on" || value == "y" || value == "t";
    }
  }
  return kills;
}

std::vector<Check> CheckLogout(const std::string& root,
                               const Environment& environment) {
  // Without systemd, a logout ends no processes.
  if (!Exists(root + "/run/systemd/system")) return {};
  const bool lingers = Exists(
      absl::StrCat(root, "/var/lib/systemd/linger/", environment.Get("USER")));
  // The link that `systemctl --user enable` makes.
  const bool unit =
      Exists(absl::StrCat(root, environment.Get("HOME"),
                          "/.config/systemd/user/default.target.wants/"
                          "troika.service"));
  const bool kills = KillsUserProcesses(LogindTexts(root));
  if (unit && !lingers) {
    return {Warning("logout",
                    "logging out ends the service and its agents: "
                    "loginctl enable-linger")};
  }
  if (kills && !unit) {
    return {Warning("logout",
                    "logging out ends the agents, because logind has "
                    "KillUserProcesses=yes: systemctl --user enable --now "
                    "troika, and loginctl enable-linger")};
  }
  return {{.name = "logout", .text = "agents outlive a logout"}};
}

std::vector<Check> CheckHarnesses(const v1::ListHarnessesResponse& list) {
  std::vector<Check> checks;
  bool usable = false;
  for (const v1::HarnessInfo& harness : list.harnesses()) {
    checks.push_back(CheckHarness(harness));
    usable = usable || checks.back().level == Level::kOk;
    if (!harness.sandbox_error().empty()) {
      checks.push_back(Warning(harness.id(), harness.sandbox_error()));
    }
  }
  if (!usable) {
    checks.push_back(
        Bad("harnesses", "none can be used: install one and log in"));
  }
  return checks;
}

std::vector<Check> CheckHooks(const v1::ListHooksResponse& list) {
  std::vector<Check> checks;
  if (!list.config_error().empty()) {
    checks.push_back(Bad("config", list.config_error()));
  }
  if (!list.problem().empty()) checks.push_back(Bad("hooks", list.problem()));
  std::map<std::string, const v1::HookDelivery*> failing;  // One for each hook.
  for (const v1::HookDelivery& delivery : list.deliveries()) {
    if (!delivery.error().empty()) failing.emplace(delivery.hook(), &delivery);
  }
  for (const auto& [hook, delivery] : failing) {
    checks.push_back(Warning(
        "hooks",
        absl::StrCat(hook,
                     delivery->given_up() ? " was not told of an event: "
                                          : " can't be told: ",
                     delivery->error(), "; see `troika hooks`")));
  }
  if (checks.empty() && !list.hooks().empty()) {
    checks.push_back({.name = "hooks",
                      .text = absl::StrCat(list.hooks_size(), " configured")});
  }
  return checks;
}

}  // namespace troika::cli
