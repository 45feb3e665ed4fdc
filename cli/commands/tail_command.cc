#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/follow.h"
#include "cli/commands/help.h"
#include "cli/commands/server.h"
#include "cli/timeline/task_view.h"

namespace troika::cli {
namespace {

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
    .help = kTailHelp,
    .run = RunOnServer<kTailCommand, ReadLine, Tail>};

}  // namespace troika::cli
