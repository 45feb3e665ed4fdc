#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/help.h"
#include "cli/commands/server.h"

namespace troika::cli {
namespace {

// Longer than an agent may take to end by itself.
constexpr absl::Duration kStopPatience = absl::Minutes(1);
constexpr absl::Duration kPollInterval = absl::Milliseconds(100);

struct Line {
  std::vector<std::string> tasks;
  bool force = false;
};

absl::StatusOr<Line> ReadLine(Args args) {
  Line line;
  Flags flags;
  flags.Add("force", &line.force);
  ASSIGN_OR_RETURN(line.tasks, flags.Parse(args));
  if (line.tasks.empty() ||
      std::find(line.tasks.begin(), line.tasks.end(), "") != line.tasks.end()) {
    return absl::InvalidArgumentError(
        "a task is needed: give one or more ids, or latest");
  }
  return line;
}

// Deletes the task as soon as its agent has ended.
absl::Status StopAndDelete(const std::string& id, Server& server) {
  v1::StopRequest request;
  request.set_reason("the task is deleted");
  RETURN_IF_ERROR(server.api.Stop(id, request).status());
  const absl::Time deadline = absl::Now() + kStopPatience;
  while (true) {
    const absl::Status deleted = server.api.DeleteTask(id);
    if (!absl::IsFailedPrecondition(deleted) || absl::Now() > deadline) {
      return deleted;
    }
    absl::SleepFor(kPollInterval);
  }
}

absl::Status Delete(const std::string& name, const Line& line, Server& server) {
  // After a deletion, `latest` is another task.
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(name));
  const absl::Status deleted = server.api.DeleteTask(task.id());
  if (!line.force || !absl::IsFailedPrecondition(deleted)) return deleted;
  return StopAndDelete(task.id(), server);
}

absl::StatusOr<int> Remove(const Line& line, Server& server, const Io& io) {
  int code = kExitOk;
  for (const std::string& name : line.tasks) {
    const absl::Status deleted = Delete(name, line, server);
    if (deleted.ok()) continue;
    if (absl::IsUnavailable(deleted)) return deleted;
    const int failed = FailWith(io, deleted);
    code = line.tasks.size() == 1 ? failed : kExitFailure;
  }
  return code;
}

}  // namespace

constinit const Command kRmCommand = {
    .name = "rm",
    .summary = "delete tasks",
    .help = kRmHelp,
    .run = RunOnServer<kRmCommand, ReadLine, Remove>};

}  // namespace troika::cli
