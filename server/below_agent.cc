#include "server/below_agent.h"

#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace troika {
namespace {

// The folder of the task that a relay or a guard runs; empty if that can't be
// seen, or was removed.
std::string TaskFolderOfRelay(pid_t relay) {
  // Relay and guard hold the log of their task open for as long as they live.
  std::error_code error;
  std::filesystem::directory_iterator files(
      absl::StrCat("/proc/", relay, "/fd"), error);
  for (; !error && files != std::filesystem::directory_iterator();
       files.increment(error)) {
    std::error_code gone;
    const std::string target =
        std::filesystem::read_symlink(files->path(), gone).string();
    absl::string_view folder = target;
    if (!gone && absl::ConsumeSuffix(&folder, "/log.v1")) {
      return std::string(folder);
    }
  }
  return "";
}

constexpr char kDefaultFolder[] = "/.local/state/troika";

bool IsSameFolder(const std::string& a, const std::string& b) {
  struct stat first = {};
  struct stat second = {};
  return stat(a.c_str(), &first) == 0 && stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool IsDefaultHome(const std::string& home, const Environment& environment) {
  const std::string named(environment.Get("HOME"));
  if (!named.empty() && IsSameFolder(home, named + kDefaultFolder)) return true;
  // Not getpwuid(): a static program can't load what that may need.
  const std::unique_ptr<FILE, int (*)(FILE*)> users(fopen("/etc/passwd", "re"),
                                                    fclose);
  if (users == nullptr) return false;
  while (const passwd* const user = fgetpwent(users.get())) {
    if (user->pw_uid == geteuid()) {
      return IsSameFolder(home, absl::StrCat(user->pw_dir, kDefaultFolder));
    }
  }
  return false;
}

absl::Status Refuse(const std::string& home, absl::string_view task) {
  return absl::PermissionDeniedError(absl::StrCat(
      "no server runs for ", home, ", and an agent",
      task.empty() ? "" : absl::StrCat(" (of task ", task, ")"),
      " may not start one: it would end with the agent, and so would the tasks "
      "that it runs for others. Ask the user to run `troika serve`, or any "
      "other troika command"));
}

}  // namespace

absl::Status CheckNotBelowAgent(const std::string& home,
                                const Environment& environment,
                                const std::vector<ProcessInfo>& ancestors) {
  std::string task;
  bool below = false;
  for (const ProcessInfo& ancestor : ancestors) {
    if (!IsRelay(ancestor)) continue;
    const std::string folder = TaskFolderOfRelay(ancestor.pid);
    const std::string tasks = folder.substr(0, folder.rfind('/'));
    const std::string id = folder.substr(folder.rfind('/') + 1);
    if (folder.empty() || access(tasks.c_str(), F_OK) != 0 ||
        IsSameFolder(tasks, home + "/tasks")) {
      return Refuse(home, id);
    }
    if (!below) task = id;
    below = true;
  }
  if (below && IsDefaultHome(home, environment)) return Refuse(home, task);
  return absl::OkStatus();
}

}  // namespace troika
