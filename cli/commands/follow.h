// Shows a task as the server streams it, until it rests or a signal comes.
#ifndef TROIKA_CLI_COMMANDS_FOLLOW_H_
#define TROIKA_CLI_COMMANDS_FOLLOW_H_

#include <string>

#include "cli/commands/commands.h"
#include "cli/feed/task_feed.h"
#include "cli/io.h"
#include "cli/timeline/task_view.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct FollowOptions {
  enum class Until {
    kNow,       // Everything so far is shown.
    kRest,      // The task has ended, or the agent waits for input.
    kAnswered,  // The approval or question `asked` is answered, by anybody.
  };
  enum class CtrlC {
    kInterrupts,  // First interrupts the turn, then stops the agent, then
                  // leaves.
    kLeaves,
  };
  using Show = TaskFeedOptions::Show;
  ViewOptions view;
  Until until = Until::kRest;
  CtrlC ctrl_c = CtrlC::kInterrupts;
  Show show = Show::kAll;
  // The task does not rest before it has had this many turns.
  int turns = 0;
  // Id of an input that was given: the task does not rest before it has ended.
  std::string input = {};
  // The prompt that the user has just given, which is not shown again.
  std::string prompt = {};
  // Id of the approval or question to ask the user for; empty for all.
  std::string asked = {};
};

// Returns the exit code of `troika run`. Handles signals meanwhile. On a
// terminal, asks the user for approvals and answers.
int Follow(Server& server, const v1::Task& task, const FollowOptions& options,
           const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_FOLLOW_H_
