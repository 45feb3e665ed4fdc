#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/server.h"
#include "cli/commands/server_commands.h"
#include "cli/commands/task_place.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/table.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika show TASK [FLAG...]

Shows what is known of a task: its state, what it spent, its answer, and what
waits to be allowed or answered, whole, with the command that does so. TASK is
its id, a beginning of the id that no other task has, or latest.

  --event ID   one event instead, whole, as JSON: 3.0
  --record N   one record of its log instead, exactly as it was
  --json       as JSON: Task or RawRecord of dto/troika.proto

Exit code: 0; 1 where the server can't be reached; 2 where the command line is
wrong or there is no such task, event or record.

Examples:
  troika show latest
  troika show latest --event 12.0 | jq -r .toolResult.output
)";

struct Line {
  std::string task;
  std::string event;
  std::optional<int> record;
  bool json = false;
};

absl::StatusOr<Line> ReadLine(absl::Span<const std::string> args) {
  Line line;
  Flags flags;
  flags.Add("event", &line.event);
  flags.Add("record", &line.record);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(line.task, OneTask(words));
  if (line.record && !line.event.empty()) {
    return absl::InvalidArgumentError(
        "--event and --record exclude each other");
  }
  return line;
}

// What the approvals of `task` are for, as far as their events can be read.
std::map<std::string, std::string> InputsOf(const v1::Task& task,
                                            Server& server) {
  std::map<std::string, std::string> inputs;
  for (const v1::Approval& approval : task.approvals()) {
    const auto event = server.api.GetExactEvent(task.id(), approval.event_id());
    if (!event.ok()) continue;
    const auto* asked = std::get_if<Approval>(&event->payload);
    if (asked != nullptr && asked->id == approval.id()) {
      inputs[approval.id()] = asked->input_json;
    }
  }
  return inputs;
}

absl::StatusOr<int> Show(const Line& line, Server& server, const Io& io) {
  if (!line.event.empty()) {
    ASSIGN_OR_RETURN(const v1::Event event,
                     server.api.GetEvent(line.task, line.event));
    return PrintJson(io, event);
  }
  if (line.record && line.json) {
    ASSIGN_OR_RETURN(const v1::RawRecord record,
                     server.api.GetRaw(line.task, *line.record));
    return PrintJson(io, record);
  }
  if (line.record) {
    ASSIGN_OR_RETURN(std::string bytes,
                     server.api.GetRawBytes(line.task, *line.record));
    return Print(io, bytes);
  }
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(line.task));
  if (line.json) return PrintJson(io, task);
  return Print(io, Describe(task, {.now = absl::Now(),
                                   .columns = TerminalWidth(io.out),
                                   .inputs = InputsOf(task, server)}));
}

int Run(absl::Span<const std::string> args, const Io& io) {
  return RunOnServer(kShowCommand, args, io, ReadLine, Show);
}

}  // namespace

constinit const Command kShowCommand = {.name = "show",
                                        .summary = "say all about one task",
                                        .help = kHelp,
                                        .run = Run};

}  // namespace troika::cli
