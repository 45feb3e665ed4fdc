// `troika interrupt` and `troika stop`.
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/help.h"
#include "cli/commands/server.h"
#include "cli/commands/task_text.h"
#include "dto/proto_fields.h"

namespace troika::cli {
namespace {

struct Line {
  std::string task;
  std::string reason;
  std::optional<absl::Duration> grace;
  bool json = false;
};

absl::StatusOr<Line> ReadLine(Args args, Flags flags, Line* line) {
  flags.Add("reason", &line->reason);
  flags.Add("json", &line->json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(line->task, ReadTask(words));
  line->reason = json::ToValidUtf8(line->reason);
  return *line;
}

absl::StatusOr<Line> ReadInterrupt(Args args) {
  Line line;
  return ReadLine(args, Flags(), &line);
}

absl::StatusOr<Line> ReadStop(Args args) {
  Line line;
  Flags flags;
  flags.Add("grace", &line.grace);
  return ReadLine(args, flags, &line);
}

int PrintTask(const Line& line, const v1::Task& task, const Io& io) {
  return line.json ? PrintJson(io, task) : Print(io, TaskLine(task));
}

absl::StatusOr<int> Interrupt(const Line& line, Server& server, const Io& io) {
  v1::InterruptRequest request;
  request.set_reason(line.reason);
  ASSIGN_OR_RETURN(const v1::Task task,
                   server.api.Interrupt(line.task, request));
  return PrintTask(line, task, io);
}

absl::StatusOr<int> Stop(const Line& line, Server& server, const Io& io) {
  v1::StopRequest request;
  request.set_reason(line.reason);
  if (line.grace) *request.mutable_grace() = ToProto(*line.grace);
  ASSIGN_OR_RETURN(const v1::Task task, server.api.Stop(line.task, request));
  return PrintTask(line, task, io);
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

}  // namespace troika::cli
