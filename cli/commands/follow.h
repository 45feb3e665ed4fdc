// Shows a task as the server streams it, until it rests or we are told to
// leave.
#ifndef TROIKA_CLI_COMMANDS_FOLLOW_H_
#define TROIKA_CLI_COMMANDS_FOLLOW_H_

#include <string>

#include "cli/commands/server.h"
#include "cli/io.h"
#include "cli/timeline/task_view.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct FollowOptions {
  enum class Until {
    kNow,   // What has happened so far.
    kRest,  // The task has ended, or the agent waits for input.
    // The user has answered what the agent asks, or somebody else has.
    kAnswered,
  };
  enum class CtrlC {
    kInterrupts,  // First the turn, then it stops the agent, then it leaves.
    kLeaves,
  };
  enum class Show {
    kAll,
    kNew,  // What comes after the last event of the task as it was given.
  };
  ViewOptions view;
  Until until = Until::kRest;
  CtrlC ctrl_c = CtrlC::kInterrupts;
  Show show = Show::kAll;
  // It does not rest before as many turns were asked for.
  int turns = 0;
  // The approval or question that the user is asked for; empty: all.
  std::string asked;
};

// Returns the exit code of `troika run`. Signals are taken meanwhile
// (signals.h). On a terminal the user can answer what the agent asks.
int Follow(Server& server, const v1::Task& task, const FollowOptions& options,
           const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_FOLLOW_H_
