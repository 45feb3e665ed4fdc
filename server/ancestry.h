// Whether a process was started by an agent.
#ifndef TROIKA_SERVER_ANCESTRY_H_
#define TROIKA_SERVER_ANCESTRY_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troika {

struct Ancestor {
  pid_t pid = 0;
  std::string name;      // As /proc has it: at most 15 characters.
  uint64_t started = 0;  // In ticks since the boot.

  bool operator==(const Ancestor&) const = default;
};

// A process and those that it descends from, up to the first of all, or to the
// first of our pid namespace. Nothing where the chain can't be seen to its end:
// the process is gone, /proc hides one, or there are more than anybody has.
// Then nobody knows whose process it is.
std::optional<std::vector<Ancestor>> AncestorsOf(pid_t pid);

// The same up to the first that can't be seen.
std::vector<Ancestor> VisibleAncestorsOf(pid_t pid);

// Whether it is the relay of an agent, or its guard.
bool IsRelay(const Ancestor& process);

// The folder of the task that a relay or a guard runs; empty if that can't be
// seen, or was removed.
std::string TaskFolderOfRelay(pid_t relay);

}  // namespace troika

#endif  // TROIKA_SERVER_ANCESTRY_H_
