// The selector: which harnesses there are, and what is to be known of each.
#ifndef TROIKA_SERVER_HARNESSES_H_
#define TROIKA_SERVER_HARNESSES_H_

#include <string>

#include "agent/environment.h"
#include "dto/troika.pb.h"

namespace troika {

// Looks for their CLIs on this machine. Blocks where one has to be asked for
// its version. Thread-safe.
v1::ListHarnessesResponse FindHarnesses(const Environment& environment,
                                        const std::string& version_cache);

}  // namespace troika

#endif  // TROIKA_SERVER_HARNESSES_H_
