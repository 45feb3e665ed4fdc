// Which processes may drive a relay.
//
// Agents run below relays and as the same user, so they reach the sockets of
// all tasks. What they start must not command another agent, nor their own: it
// may watch only.
#ifndef TROIKA_RELAY_PEER_H_
#define TROIKA_RELAY_PEER_H_

#include <sys/types.h>

#include <cstdint>

#include "base/ancestry.h"

namespace troika::relay {

// The process at the other end of a connection.
struct Peer {
  pid_t pid = 0;
  uint64_t accepted = 0;  // When we accepted it, in TicksSinceBoot().
};

// Whether the process with the ancestry `peer` may drive the relay with the
// ancestry `own`. It may not if it, or a process above it, is a relay or a
// guard, other than those that are above the relay too: where Troika runs
// inside an agent, both are below that agent's relay. It may not if its
// ancestry can't be followed, or if it is younger than the connection, as it
// then has got the pid of the process that connected.
bool MayDrive(const Ancestry& peer, const Ancestry& own, uint64_t accepted);

// The same for the calling process and what /proc shows now.
bool MayDriveUs(const Peer& peer);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_PEER_H_
