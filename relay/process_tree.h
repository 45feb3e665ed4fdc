// The processes below one of ours, and how to end all of them.
//
// Whoever calls this must be a subreaper: then a descendant stays one, however
// often it forks, calls setsid or loses its parent, until it is waited for.
#ifndef TROIKA_RELAY_PROCESS_TREE_H_
#define TROIKA_RELAY_PROCESS_TREE_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace troika::relay {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // As /proc has it: 'Z' for one that ended.
  std::string name;  // The kernel's short name of it.
};

// All descendants of the calling process, but for those that have ended.
std::vector<ProcessInfo> LivingDescendants();

// Sends SIGKILL to every living descendant, each by a pidfd that was opened
// before its ancestry was looked at, so that no stranger is hit whatever pids
// are used again. Returns those that were there. Descendants that fork
// meanwhile are met by the next call: call until there are none.
std::vector<ProcessInfo> KillDescendants();

}  // namespace troika::relay

#endif  // TROIKA_RELAY_PROCESS_TREE_H_
