#include "relay/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika::relay {
namespace {

// Bounds the walk: no chain of parents is longer, and while /proc changes, it
// may show a circle.
constexpr int kMaxDepth = 4096;

std::optional<ProcessInfo> ReadProcess(pid_t pid) {
  const UniqueFd fd(
      open(absl::StrCat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) return std::nullopt;
  char buffer[1024];
  const ssize_t n = read(fd.get(), buffer, sizeof(buffer));
  if (n <= 0) return std::nullopt;
  // The format is "PID (NAME) STATE PARENT …"; the name may hold spaces and
  // parentheses.
  const absl::string_view text(buffer, static_cast<size_t>(n));
  const size_t open_at = text.find('(');
  const size_t close_at = text.rfind(')');
  if (open_at == text.npos || close_at == text.npos || close_at < open_at ||
      close_at + 4 >= text.size()) {
    return std::nullopt;
  }
  ProcessInfo process;
  process.pid = pid;
  process.state = text[close_at + 2];
  process.name = std::string(text.substr(open_at + 1, close_at - open_at - 1));
  absl::string_view parent = text.substr(close_at + 4);
  parent = parent.substr(0, parent.find(' '));
  if (!absl::SimpleAtoi(parent, &process.parent)) return std::nullopt;
  return process;
}

std::map<pid_t, ProcessInfo> AllProcesses() {
  std::map<pid_t, ProcessInfo> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (proc == nullptr) return all;
  while (const dirent* entry = readdir(proc.get())) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry->d_name, &pid)) continue;
    if (auto process = ReadProcess(pid)) all.emplace(pid, *process);
  }
  return all;
}

// Reads each parent from /proc again.
bool IsDescendant(pid_t pid) {
  const pid_t self = getpid();
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const auto process = ReadProcess(pid);
    if (!process || process->parent <= 1) return false;
    if (process->parent == self) return true;
    pid = process->parent;
  }
  return false;
}

bool LeadsTo(pid_t root, pid_t pid, const std::map<pid_t, ProcessInfo>& all) {
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const auto process = all.find(pid);
    if (process == all.end()) return false;
    if (process->second.parent == root) return true;
    pid = process->second.parent;
  }
  return false;
}

}  // namespace

std::vector<ProcessInfo> LivingDescendants() {
  const auto all = AllProcesses();
  std::vector<ProcessInfo> found;
  for (const auto& [pid, process] : all) {
    if (process.state != 'Z' && LeadsTo(getpid(), pid, all)) {
      found.push_back(process);
    }
  }
  return found;
}

std::vector<ProcessInfo> KillDescendants() {
  std::vector<ProcessInfo> found = LivingDescendants();
  for (const ProcessInfo& process : found) {
    const UniqueFd pidfd(
        static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0)));
    // A process that is gone needs no signal, and its pid may belong to a
    // process that is not ours.
    if (!pidfd.ok() || !IsDescendant(process.pid)) continue;
    syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  }
  return found;
}

}  // namespace troika::relay
