// Describes the harnesses to clients: whether each is installed, its version,
// and what it can do.
#ifndef TROIKA_SERVER_HARNESSES_H_
#define TROIKA_SERVER_HARNESSES_H_

#include <string>

#include "agent/discovery/environment.h"
#include "dto/troika.pb.h"

namespace troika {

// Looks for the CLIs on this machine as a task with `environment` would, which
// is what ForAgents() left of a caller's. Blocks while a CLI is asked for its
// version. Thread-safe.
v1::ListHarnessesResponse FindHarnesses(const Environment& environment,
                                        const std::string& version_cache);

}  // namespace troika

#endif  // TROIKA_SERVER_HARNESSES_H_
