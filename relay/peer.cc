#include "relay/peer.h"

#include <unistd.h>

#include <algorithm>

namespace troika::relay {
namespace {

// These return whether a process is an ancestor of the relay. Processes that
// /proc hides are compared by their pids.
bool IsAbove(const Ancestry& own, const ProcessInfo& process) {
  return std::any_of(own.processes.begin() + 1, own.processes.end(),
                     [&](const ProcessInfo& a) {
                       return a.pid == process.pid &&
                              a.started == process.started;
                     });
}

bool IsAbove(const Ancestry& own, pid_t pid) {
  return pid == own.cut_at ||
         std::any_of(own.processes.begin() + 1, own.processes.end(),
                     [&](const ProcessInfo& a) { return a.pid == pid; });
}

}  // namespace

bool MayDrive(const Ancestry& peer, const Ancestry& own, uint64_t accepted) {
  if (peer.processes.empty() || own.processes.empty()) return false;
  if (peer.processes.front().started > accepted) return false;
  for (const ProcessInfo& process : peer.processes) {
    // The ancestors of this process are ours, too.
    if (IsAbove(own, process)) return true;
    if (IsRelay(process)) return false;
  }
  return peer.whole() || IsAbove(own, peer.cut_at);
}

bool MayDriveUs(const Peer& peer) {
  return MayDrive(ReadAncestry(peer.pid), ReadAncestry(getpid()),
                  peer.accepted);
}

}  // namespace troika::relay
