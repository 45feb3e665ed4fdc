// What run, send and resume do alike: an agent has got a turn.
#ifndef TROIKA_CLI_COMMANDS_GIVE_TURN_H_
#define TROIKA_CLI_COMMANDS_GIVE_TURN_H_

#include "cli/commands/follow.h"
#include "cli/commands/server.h"
#include "cli/commands/turn_flags.h"
#include "cli/io.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct GivenTurn {
  v1::Task before;  // The task as it was; of a new one the same as `after`.
  v1::Task after;   // As the server answered.
  FollowOptions::Show show = FollowOptions::Show::kNew;
};

// Follows it, or prints the task's id (with --json: the task). Returns the exit
// code.
int ShowTurn(Server& server, const GivenTurn& turn, Then then,
             const ViewOptions& view, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_GIVE_TURN_H_
