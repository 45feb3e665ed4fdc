// The processes that a process descends from. They tell whether an agent
// started it.
#ifndef TROIKA_BASE_ANCESTRY_H_
#define TROIKA_BASE_ANCESTRY_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troika {

// A process as /proc shows it.
struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = 0;        // As in /proc/PID/stat: 'R', 'S', 'Z', …
  std::string name;      // At most 15 characters.
  uint64_t started = 0;  // Clock ticks since the boot.
};
// Returns nullopt if there is no such process.
std::optional<ProcessInfo> ReadProcess(pid_t pid);

// A process and those that it descends from, as far as /proc shows them.
struct Ancestry {
  std::vector<ProcessInfo> processes;  // The process itself first.
  // The pid at which the walk ended early, because that process is gone or
  // hidden or the chain is too long. 0 if the chain is whole, up to the first
  // process of our pid namespace.
  pid_t cut_at = 0;

  bool whole() const { return cut_at == 0 && !processes.empty(); }
};
Ancestry ReadAncestry(pid_t pid);

// Returns whether the process is the relay of an agent, or that relay's guard.
bool IsRelay(const ProcessInfo& process);

// Returns the time now, in the unit of ProcessInfo::started.
uint64_t TicksSinceBoot();
// Identifies the current boot of this machine; empty if the kernel does not
// tell. Thread-safe.
const std::string& BootId();

}  // namespace troika

#endif  // TROIKA_BASE_ANCESTRY_H_
