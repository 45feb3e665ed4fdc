// The parts of the server that the classes around Tasks share.
#ifndef TROIKA_SERVER_TASK_TOOLS_H_
#define TROIKA_SERVER_TASK_TOOLS_H_

#include <atomic>
#include <string>

#include "base/clock.h"
#include "base/event_loop.h"
#include "server/changes.h"
#include "server/day_budget.h"
#include "server/hook_sink.h"
#include "server/pools.h"
#include "server/spare_folders.h"
#include "server/spare_relays.h"
#include "server/task_index.h"
#include "task/home.h"

namespace troika {

// All borrowed.
struct TaskTools {
  EventLoop* loop = nullptr;
  Pools* pools = nullptr;
  Clock* clock = nullptr;
  const Home* home = nullptr;
  TaskIndex* index = nullptr;
  Changes* changes = nullptr;
  std::string relay_program;
  SpareRelays* relays = nullptr;
  SpareFolders* folders = nullptr;
  DayBudget* /*nullable*/ day_budget = nullptr;
  HookSink* /*nullable*/ hooks = nullptr;
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
