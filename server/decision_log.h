// Reads from a task's log what was decided in it.
#ifndef TROIKA_SERVER_DECISION_LOG_H_
#define TROIKA_SERVER_DECISION_LOG_H_

#include <string>

#include "absl/status/statusor.h"
#include "dto/troika.pb.h"
#include "task/home.h"

namespace troika {

// All decisions up to the end of the log, redacted. Reads the log from its
// start and blocks: call it on a pool's threads.
absl::StatusOr<v1::ListDecisionsResponse> DecisionsOf(const Home& home,
                                                      const std::string& task);

}  // namespace troika

#endif  // TROIKA_SERVER_DECISION_LOG_H_
