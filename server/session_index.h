// The sessions that CLIs keep on this machine, for requests.
#ifndef TROIKA_SERVER_SESSION_INDEX_H_
#define TROIKA_SERVER_SESSION_INDEX_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "agent/discovery/environment.h"
#include "server/pools.h"
#include "server/session_cache.h"

namespace troika {

// Scans on a thread of its own, one scan at a time. Requests that come while a
// scan runs share the next one, because the one that runs may already have
// passed a file that changed since. Loop thread only.
class SessionIndex {
 public:
  using Done = absl::AnyInvocable<void(std::shared_ptr<const SessionScan>)>;

  // `cache_path` is where the index is kept, and `environment`, the server's
  // own, says what is secret. Borrows the pools.
  SessionIndex(Pools* pools, std::string cache_path,
               const Environment& environment);

  // Returns the variables of `env` that decide where CLIs keep sessions.
  static Environment Relevant(const Environment& env);
  // Calls back once in a later round of the loop.
  void Scan(const Environment& env, Done done);

 private:
  struct Waiting {
    Environment env;
    std::vector<Done> requests;
  };

  void StartNext();

  Pools& pools_;
  // For the pool's thread only. Shared with its jobs.
  const std::shared_ptr<SessionCache> cache_;
  std::deque<Waiting> waiting_;  // Scans that have not begun.
  bool scanning_ = false;
};

}  // namespace troika

#endif  // TROIKA_SERVER_SESSION_INDEX_H_
