// Tasks as they change: `troika tasks -f`.
#ifndef TROIKA_CLI_COMMANDS_TASK_CHANGES_H_
#define TROIKA_CLI_COMMANDS_TASK_CHANGES_H_

#include "cli/commands/server.h"
#include "cli/io.h"
#include "dto/troika.pb.h"

namespace troika::cli {

enum class ChangeForm { kText, kJson };

// A line for each change of a task that the states and harnesses of `filter`
// let through, until a signal ends it. Returns the exit code.
int FollowChanges(Server& server, const v1::ListTasksRequest& filter,
                  ChangeForm form, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TASK_CHANGES_H_
