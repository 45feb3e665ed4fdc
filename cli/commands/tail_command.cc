#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/follow.h"
#include "cli/commands/server.h"
#include "cli/timeline/task_view.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika tail TASK [-f] [FLAG...]

Shows a whole task, from its start. TASK is its id, the beginning of an id that
no other task has, or latest.

  -f, --follow  continue until the task ends or waits for input; Ctrl-C ends
                this command, not the agent
  --json        print events as lines of JSON: Event of dto/troika.proto
  --color WHEN  auto (on terminals, unless NO_COLOR is set), always or never

Exit code: 0 if the task has not ended, else as of `troika run`; 130 if Ctrl-C
ended this command; 1 if the task can't be read; 2 if the command line is wrong
or there is no such task.

Examples:
  troika tail latest -f
  troika tail latest --json | jq -r 'select(.text) | .text.text'
)";

struct Line {
  std::string task;
  FollowOptions::Until until = FollowOptions::Until::kNow;
  ViewOptions view;
};

absl::StatusOr<Line> ReadLine(Args args) {
  bool follow = false;
  ViewFlags view;
  Flags flags;
  flags.Add("follow", &follow);
  flags.AddShort('f', "follow");
  view.AddTo(&flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  Line line;
  if (follow) line.until = FollowOptions::Until::kRest;
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  ASSIGN_OR_RETURN(line.view, view.Options());
  return line;
}

absl::StatusOr<int> Tail(const Line& line, Server& server, const Io& io) {
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(line.task));
  return Follow(server, task,
                {.view = line.view,
                 .until = line.until,
                 .ctrl_c = FollowOptions::CtrlC::kLeaves},
                io);
}

}  // namespace

constinit const Command kTailCommand = {
    .name = "tail",
    .summary = "show the work on a task, and follow it",
    .help = kHelp,
    .run = RunOnServer<kTailCommand, ReadLine, Tail>};

}  // namespace troika::cli
