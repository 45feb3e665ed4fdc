// Decides which processes may drive a relay.
//
// Agents run below relays and as the same user, so they can reach the sockets
// of all tasks. The processes that they start must not command another agent,
// nor their own: they may only watch.
#ifndef TROIKA_RELAY_PEER_H_
#define TROIKA_RELAY_PEER_H_

#include <sys/types.h>

#include <cstdint>

#include "base/ancestry.h"

namespace troika::relay {

// The process at the other end of a connection.
struct Peer {
  pid_t pid = 0;
  uint64_t accepted = 0;  // Time of the accept, in TicksSinceBoot().
};

// Returns whether the process with the ancestry `peer` may drive the relay with
// the ancestry `own`. It may not if it or one of its ancestors is a relay or a
// guard, other than those that are ancestors of the relay too: if Troika runs
// inside an agent, both are below that agent's relay. It may not if its
// ancestry can't be followed, or if it is younger than the connection, because
// then it has reused the pid of the process that connected.
bool MayDrive(const Ancestry& peer, const Ancestry& own, uint64_t accepted);

// Does the same for the calling process, as /proc shows both now.
bool MayDriveUs(const Peer& peer);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_PEER_H_
