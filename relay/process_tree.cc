#include "relay/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <optional>

#include "absl/strings/numbers.h"
#include "base/fd.h"

namespace troika::relay {
namespace {

// Bounds the walk: no chain of parents is longer, and while /proc changes, it
// may show a circle.
constexpr int kMaxDepth = 4096;

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

// All descendants of the calling process, but for those that have ended.
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

}  // namespace

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
