// The handlers of the API's routes (docs/api.md).
//
// A handler reads its request and returns an error, or what is to be done to
// get the reply. Api (api.h) does that and sends what comes of it.
#ifndef TROIKA_SERVER_HANDLERS_H_
#define TROIKA_SERVER_HANDLERS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "base/event_loop.h"
#include "base/thread_pool.h"
#include "server/access.h"
#include "server/call.h"
#include "server/caller.h"
#include "server/changes.h"
#include "server/metrics.h"
#include "server/tasks.h"
#include "task/home.h"

namespace troika {

// The parts of the server that handlers use. All borrowed. Loop thread only.
struct ApiTools {
  EventLoop* loop = nullptr;
  ThreadPool* pool = nullptr;        // For reading logs.
  ThreadPool* probe_pool = nullptr;  // For asking CLIs.
  Tasks* tasks = nullptr;
  Changes* changes = nullptr;
  Access* access = nullptr;
  Metrics* metrics = nullptr;
  const Home* home = nullptr;
  const CallerPolicy* policy = nullptr;
  std::function<int64_t()> connections;  // Counts those that are open.
};

// Calls back once with the reply, within the call or later.
using Deferred = absl::AnyInvocable<void(ReplyCallback)>;
using Handler = absl::StatusOr<Deferred>(const ApiTools& api, const Call& call);

// task_handlers.cc: makes, shows and deletes tasks.
Handler CreateTask, ListTasks, GetTask, DeleteTask;
// command_handlers.cc: gives tasks turns and answers, and ends them.
Handler Input, Resume, Respond, Interrupt, Stop;
// event_handlers.cc: streams and pages of events, and the lines behind them.
Handler TaskEvents, WholeEvent, RawLine, AllEvents;
// harness_handlers.cc: describes the harnesses.
Handler ListHarnesses, ProbeHarnesses;
// info_handlers.cc: describes the server and what its tasks have used.
Handler Usage, Health, ServerMetrics, OpenApi;

// Finds the task that the path names, then calls `then` with its id.
Deferred WithTask(
    const ApiTools& api, const Call& call,
    absl::AnyInvocable<void(const std::string&, ReplyCallback)> then);

}  // namespace troika

#endif  // TROIKA_SERVER_HANDLERS_H_
