// Runs a task in the foreground: `troika run`.
#ifndef TROIKA_CLI_RUN_TASK_H_
#define TROIKA_CLI_RUN_TASK_H_

#include <string>

#include "agent/environment.h"
#include "cli/io.h"
#include "cli/task_view.h"
#include "task/request.h"

namespace troika::cli {

// Starts the task, prints what comes of it and returns the exit code once it
// has ended, or once we are told to leave: the agent then goes on. Signals are
// taken meanwhile (signals.h).
int RunTask(TaskRequest request, const ViewOptions& view,
            const Environment& environment, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_RUN_TASK_H_
