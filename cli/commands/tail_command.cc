#include "cli/commands/tail_command.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/follow.h"
#include "cli/commands/server.h"
#include "cli/commands/task_place.h"
#include "cli/timeline/task_view.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika tail TASK [-f] [FLAG...]

Shows a whole task, from its start. TASK is its id, a beginning of the id that
no other task has, or latest.

  -f, --follow  go on until the task has ended, or waits for input; leaving does
                not disturb it
  --json        events, a line of JSON each: dto/troika.proto
  --color WHEN  auto (on terminals, without NO_COLOR), always, never

Exit code: 0 where the task goes on, else as of `troika run`; 130 where Ctrl-C
ended this command; 1 where the task can't be read; 2 where the command line is
wrong or there is no such task.

Examples:
  troika tail latest -f
  troika tail latest --json | jq -r 'select(.text) | .text.text'
)";

struct Line {
  std::string task;
  FollowOptions::Until until = FollowOptions::Until::kNow;
  ViewOptions view;
};

absl::StatusOr<Line> ReadLine(absl::Span<const std::string> args) {
  bool follow = false;
  ViewFlags view;
  Flags flags;
  flags.Add("follow", &follow);
  flags.AddShort('f', "follow");
  view.AddTo(&flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  Line line;
  if (follow) line.until = FollowOptions::Until::kRest;
  ASSIGN_OR_RETURN(line.task, OneTask(words));
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

int Run(absl::Span<const std::string> args, const Io& io) {
  return RunOnServer(kTailCommand, args, io, ReadLine, Tail);
}

}  // namespace

constinit const Command kTailCommand = {.name = "tail",
                                        .summary = "show a task, and follow it",
                                        .help = kHelp,
                                        .run = Run};

}  // namespace troika::cli
