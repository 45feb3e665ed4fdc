// `troika queue`.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/timeline/table.h"

namespace troika::cli {
namespace {

struct QueueCommandLine {
  std::string task;
  std::string edit;  // Id of the input to change, and its new text.
  std::string text;
  std::string remove;  // Id of the input to take back.
  bool resume = false;
  bool json = false;
};

absl::StatusOr<QueueCommandLine> ReadQueueCommandLine(Args args) {
  QueueCommandLine line;
  Flags flags;
  flags.Add("edit", &line.edit);
  flags.Add("remove", &line.remove);
  flags.Add("resume", &line.resume);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(std::vector<std::string> words, flags.Parse(args));
  if (!line.edit.empty() + !line.remove.empty() + line.resume > 1) {
    return absl::InvalidArgumentError(
        "--edit, --remove and --resume exclude each other");
  }
  if (!line.edit.empty()) {
    if (words.size() != 2) {
      return absl::InvalidArgumentError(
          "--edit needs the new text, in quotes: troika queue TASK --edit ID "
          "TEXT");
    }
    line.text = json::ToValidUtf8(words.back());
    words.pop_back();
  }
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  return line;
}

int PrintQueue(const v1::Task& task, const QueueCommandLine& line,
               const Io& io) {
  Table table({"ID", "BY", "TEXT"});
  bool any = false;
  for (const v1::Receipt& input : task.inputs()) {
    if (input.state() != v1::Receipt::queued || input.turn() > 0) continue;
    any = true;
    if (line.json) {
      const int code = PrintJson(io, input);
      if (code != kExitOk) return code;
    }
    table.Add({input.id(), input.by(), input.text()});
  }
  if (line.json) return kExitOk;
  if (!any) {
    Note(io, "no input waits");
    return kExitOk;
  }
  if (task.queue_held()) {
    Note(io, absl::StrCat("the queue is held: send it with troika queue ",
                          task.id(), " --resume"));
  }
  return Print(io, table.Text(TerminalWidth(io.out)));
}

absl::StatusOr<v1::Task> Change(const QueueCommandLine& line, Server& server) {
  if (!line.edit.empty()) {
    v1::EditInputRequest request;
    request.set_text(line.text);
    return server.api.EditInput(line.task, line.edit, request);
  }
  if (!line.remove.empty()) {
    return server.api.WithdrawInput(line.task, line.remove,
                                    v1::WithdrawInputRequest());
  }
  return line.resume ? server.api.ResumeQueue(line.task)
                     : server.api.GetTask(line.task);
}

absl::StatusOr<int> Queue(const QueueCommandLine& line, Server& server,
                          const Io& io) {
  ASSIGN_OR_RETURN(const v1::Task task, Change(line, server));
  return PrintQueue(task, line, io);
}

}  // namespace

constinit const Command kQueueCommand = {
    .name = "queue",
    .summary = "show and change inputs that wait",
    .help = kQueueHelp,
    .run = RunOnServer<kQueueCommand, ReadQueueCommandLine, Queue>};

}  // namespace troika::cli
