// Starts a server on the thread of the requests, so that nobody waits for it.
#ifndef TROIKA_CLI_ATTACH_SERVER_STARTER_H_
#define TROIKA_CLI_ATTACH_SERVER_STARTER_H_

#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "cli/attach/requests.h"

namespace troika::cli {

// Not thread-safe.
class ServerStarter {
 public:
  // `requests` is borrowed. `start` is null if no server is started here.
  ServerStarter(Requests* requests, std::function<absl::Status()> start)
      : requests_(*requests), start_(std::move(start)) {}

  // A function for EventStreamOptions and ApiOptions that has the thread start
  // a server; null if none is started. It never returns OK, so that a stream
  // tries again in a while, and not at once: it returns why the last start
  // failed, or that one is under way.
  std::function<absl::Status()> Function();

 private:
  absl::Status Start();

  Requests& requests_;
  const std::function<absl::Status()> start_;
  bool starting_ = false;
  absl::Status error_;  // Why the last start failed, until it was told.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_SERVER_STARTER_H_
