// The main function of a relay process.
#ifndef TROIKA_RELAY_SERVE_H_
#define TROIKA_RELAY_SERVE_H_

#include "base/clock.h"
#include "relay/spec.h"

namespace troika::relay {

// Reads the spec, starts the agent, reports to the starter through kReadyFd
// whether the relay serves ("ok", or the reason why not), and serves until the
// agent's end. Returns the exit code. `clock` is borrowed.
int Serve(Clock* clock);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SERVE_H_
