// The server's pools of threads.
#ifndef TROIKA_SERVER_POOLS_H_
#define TROIKA_SERVER_POOLS_H_

#include "base/event_loop.h"
#include "base/thread_pool.h"

namespace troika {

// The server's threads, by what they wait for, so that none of it holds up the
// rest.
struct Pools {
  explicit Pools(EventLoop* loop)
      : sync(loop, 4),
        work(loop, 4),
        probe(loop, 8),
        log(loop, 2),
        load(loop, 2),
        remove(loop, 1),
        sessions(loop, 1),
        hooks(loop, 4) {}

  ThreadPool sync;      // Syncs of new tasks. Outlives `work`, which uses it.
  ThreadPool work;      // Short blocking work.
  ThreadPool probe;     // CLIs, which may hang: each is given up after 20 s.
  ThreadPool log;       // One log, for a request.
  ThreadPool load;      // Many logs, for the index.
  ThreadPool remove;    // Files of deleted tasks.
  ThreadPool sessions;  // Files of the CLIs' own sessions; one at a time.
  ThreadPool hooks;     // Commands of hooks, which may hang until a deadline.
};

}  // namespace troika

#endif  // TROIKA_SERVER_POOLS_H_
