// `troika interrupt`, `troika stop` and `troika rm`.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/task_text.h"
#include "dto/proto_fields.h"

namespace troika::cli {
namespace {

struct StopCommandLine {
  std::string task;
  std::string reason;
  std::optional<absl::Duration> grace;
  bool json = false;
};

absl::StatusOr<StopCommandLine> ReadStopCommandLine(Args args, Flags flags,
                                                    StopCommandLine* line) {
  flags.Add("reason", &line->reason);
  flags.Add("json", &line->json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(line->task, ReadTask(words));
  line->reason = json::ToValidUtf8(line->reason);
  return *line;
}

absl::StatusOr<StopCommandLine> ReadInterrupt(Args args) {
  StopCommandLine line;
  return ReadStopCommandLine(args, Flags(), &line);
}

absl::StatusOr<StopCommandLine> ReadStop(Args args) {
  StopCommandLine line;
  std::string grace;
  Flags flags;
  // A flag for a duration refuses 0s, which kills at once here.
  flags.Add("grace", &grace);
  RETURN_IF_ERROR(ReadStopCommandLine(args, flags, &line).status());
  if (grace.empty()) return line;
  absl::Duration duration;
  if (!absl::ParseDuration(grace, &duration) ||
      duration < absl::ZeroDuration() || duration > absl::Hours(24)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--grace ", grace,
                     " is not a duration from 0s to 24h: write it as 10s"));
  }
  line.grace = duration;
  return line;
}

int PrintTask(const StopCommandLine& line, const v1::Task& task, const Io& io) {
  return line.json ? PrintJson(io, task) : Print(io, TaskLine(task));
}

absl::StatusOr<int> Interrupt(const StopCommandLine& line, Server& server,
                              const Io& io) {
  v1::InterruptRequest request;
  request.set_reason(line.reason);
  ASSIGN_OR_RETURN(const v1::Task task,
                   server.api.Interrupt(line.task, request));
  return PrintTask(line, task, io);
}

absl::StatusOr<int> Stop(const StopCommandLine& line, Server& server,
                         const Io& io) {
  v1::StopRequest request;
  request.set_reason(line.reason);
  if (line.grace) *request.mutable_grace() = ToProto(*line.grace);
  ASSIGN_OR_RETURN(const v1::Task task, server.api.Stop(line.task, request));
  return PrintTask(line, task, io);
}

// Longer than an agent may take to end by itself.
constexpr absl::Duration kStopPatience = absl::Minutes(1);
constexpr absl::Duration kPollInterval = absl::Milliseconds(100);

struct RmLine {
  std::vector<std::string> tasks;
  bool force = false;
};

absl::StatusOr<RmLine> ReadRm(Args args) {
  RmLine line;
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

absl::Status Delete(const std::string& name, const RmLine& line,
                    Server& server) {
  // After a deletion, `latest` is another task.
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(name));
  const absl::Status deleted = server.api.DeleteTask(task.id());
  if (!line.force || !absl::IsFailedPrecondition(deleted)) return deleted;
  return StopAndDelete(task.id(), server);
}

absl::StatusOr<int> Remove(const RmLine& line, Server& server, const Io& io) {
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

constinit const Command kInterruptCommand = {
    .name = "interrupt",
    .summary = "end the turn of an agent",
    .help = kInterruptHelp,
    .run = RunOnServer<kInterruptCommand, ReadInterrupt, Interrupt>};

constinit const Command kStopCommand = {
    .name = "stop",
    .summary = "end an agent and everything that it started",
    .help = kStopHelp,
    .run = RunOnServer<kStopCommand, ReadStop, Stop>};

constinit const Command kRmCommand = {
    .name = "rm",
    .summary = "delete tasks",
    .help = kRmHelp,
    .run = RunOnServer<kRmCommand, ReadRm, Remove>};

}  // namespace troika::cli
