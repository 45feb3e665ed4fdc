// The parts of the server that the classes around Tasks share.
#ifndef TROIKA_SERVER_TASK_TOOLS_H_
#define TROIKA_SERVER_TASK_TOOLS_H_

#include <atomic>
#include <string>

#include "base/clock.h"
#include "base/event_loop.h"
#include "base/thread_pool.h"
#include "server/changes.h"
#include "server/task_index.h"
#include "task/home.h"

namespace troika {

// The server's threads, by what they wait for, so that none of it holds up the
// rest.
struct Pools {
  explicit Pools(EventLoop* loop)
      : work(loop, 4),
        probe(loop, 8),
        log(loop, 2),
        load(loop, 2),
        remove(loop, 1) {}

  ThreadPool work;    // Short blocking work.
  ThreadPool probe;   // CLIs, which may hang: each is given up after 20 s.
  ThreadPool log;     // One log, for a request.
  ThreadPool load;    // Many logs, for the index.
  ThreadPool remove;  // Files of deleted tasks.
};

// All borrowed.
struct TaskTools {
  EventLoop* loop = nullptr;
  Pools* pools = nullptr;
  Clock* clock = nullptr;
  const Home* home = nullptr;
  TaskIndex* index = nullptr;
  Changes* changes = nullptr;
  std::string relay_program;
  const std::atomic<bool>* ending = nullptr;  // Set when the server ends.
};

class OpenTasks;
class StartQueue;
class TaskDeleter;
class TaskLoader;
class TaskRows;
class TaskStarter;

// The parts of Tasks, for each other. All borrowed.
struct TaskParts {
  StartQueue* queue = nullptr;
  TaskLoader* loader = nullptr;
  TaskRows* rows = nullptr;
  TaskDeleter* deleter = nullptr;
  TaskStarter* starter = nullptr;
  OpenTasks* open = nullptr;
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_TOOLS_H_
