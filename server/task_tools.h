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

// All borrowed.
struct TaskTools {
  EventLoop* loop = nullptr;
  ThreadPool* pool = nullptr;         // For short blocking work.
  ThreadPool* probe_pool = nullptr;   // For CLIs, which may hang.
  ThreadPool* load_pool = nullptr;    // For reading many logs.
  ThreadPool* delete_pool = nullptr;  // For removing files.
  Clock* clock = nullptr;
  const Home* home = nullptr;
  TaskIndex* index = nullptr;
  Changes* changes = nullptr;
  std::string relay_program;
  const std::atomic<bool>* ending = nullptr;  // Set when the server ends.
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_TOOLS_H_
