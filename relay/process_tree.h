// Finds the descendants of the calling process and kills them.
//
// The caller must be a subreaper: then a descendant stays one until it is
// reaped, however often it forks, calls setsid or loses its parent.
#ifndef TROIKA_RELAY_PROCESS_TREE_H_
#define TROIKA_RELAY_PROCESS_TREE_H_

#include <vector>

#include "base/ancestry.h"

namespace troika::relay {

// Sends SIGKILL to every living descendant, each by a pidfd that was opened
// before its ancestry was checked, so that no other process is hit even if pids
// are reused. Returns the descendants that were found. Call until there are
// none, because descendants may fork meanwhile.
std::vector<ProcessInfo> KillDescendants();

}  // namespace troika::relay

#endif  // TROIKA_RELAY_PROCESS_TREE_H_
