// Finds the descendants of the calling process and kills them.
//
// The caller must be a subreaper: then a descendant stays one until it is
// reaped, however often it forks, calls setsid or loses its parent.
#ifndef TROIKA_RELAY_PROCESS_TREE_H_
#define TROIKA_RELAY_PROCESS_TREE_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace troika::relay {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // State in /proc: 'Z' for a process that ended.
  std::string name;  // The kernel's short name of the process.
};

// Returns all descendants of the calling process that have not ended.
std::vector<ProcessInfo> LivingDescendants();

// Sends SIGKILL to every living descendant, each by a pidfd that was opened
// before its ancestry was checked, so that no other process is hit even if pids
// are reused. Returns the descendants that were found. Call until there are
// none, because descendants may fork meanwhile.
std::vector<ProcessInfo> KillDescendants();

}  // namespace troika::relay

#endif  // TROIKA_RELAY_PROCESS_TREE_H_
