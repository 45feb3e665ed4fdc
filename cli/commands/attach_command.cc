// `troika attach`.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/attach/attach.h"
#include "cli/attach/console.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

struct AttachCommandLine {
  std::string task;  // Empty for the one that fits best.
  ViewOptions view;
};

absl::StatusOr<AttachCommandLine> ReadAttachCommandLine(Args args) {
  std::string color = "auto";
  Flags flags;
  flags.Add("color", &color);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  AttachCommandLine line;
  ASSIGN_OR_RETURN(line.view.color, ReadColor(color));
  if (words.empty()) return line;
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  return line;
}

absl::StatusOr<v1::ListTasksResponse> Newest(v1::ListTasksRequest request,
                                             Server& server) {
  request.set_page_size(2);
  return server.api.ListTasks(request);
}

// Returns the newest task of this folder, or else the only one that lives.
absl::StatusOr<v1::Task> PickTask(Server& server, const Io& io) {
  v1::ListTasksRequest here;
  here.set_cwd(AbsolutePath("."));
  ASSIGN_OR_RETURN(v1::ListTasksResponse found, Newest(here, server));
  if (found.tasks().empty()) {
    v1::ListTasksRequest alive;
    for (int state = v1::Task::queued; state <= v1::Task::idle; ++state) {
      alive.add_states(static_cast<v1::Task::State>(state));
    }
    ASSIGN_OR_RETURN(found, Newest(alive, server));
    if (found.tasks_size() != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "no task works in this folder, and elsewhere ",
          found.tasks().empty() ? "none is alive: begin one with troika run -i"
                                : "several are alive: name one, `troika "
                                  "tasks` lists them"));
    }
  }
  const v1::Task& task = found.tasks(0);
  Note(io, absl::StrCat("task ", task.id(), " in ", Sanitized(task.cwd()), ": ",
                        SanitizedLine(task.title())));
  return task;
}

absl::StatusOr<int> RunAttach(const AttachCommandLine& line, Server& server,
                              const Io& io) {
  RETURN_IF_ERROR(CheckCanAttach(server.environment, io));
  v1::Task task;
  if (line.task.empty()) {
    ASSIGN_OR_RETURN(task, PickTask(server, io));
  } else {
    ASSIGN_OR_RETURN(task, server.api.GetTask(line.task));
  }
  return Attach(task,
                {.address = server.api.address(),
                 .environment = server.environment,
                 .view = line.view,
                 .help = kAttachHelp},
                io);
}

}  // namespace

constinit const Command kAttachCommand = {
    .name = "attach",
    .summary = "watch a task and talk to its agent",
    .help = kAttachHelp,
    .run = RunOnServer<kAttachCommand, ReadAttachCommandLine, RunAttach>};

}  // namespace troika::cli
