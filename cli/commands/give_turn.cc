#include "cli/commands/give_turn.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace troika::cli {
namespace {

// How many turns there are with this one, whether or not the answer counts it
// already. Into a turn that is open, a prompt may go without one of its own.
int TurnsOf(const GivenTurn& turn) {
  const int before =
      turn.show == FollowOptions::Show::kAll ? 0 : turn.before.turns();
  const bool rested = turn.before.state() >= v1::Task::idle ||
                      turn.show == FollowOptions::Show::kAll;
  return std::max(turn.after.turns(), before + (rested ? 1 : 0));
}

}  // namespace

int ShowTurn(Server& server, const GivenTurn& turn, Then then,
             const ViewOptions& view, const Io& io) {
  if (then == Then::kDetach) {
    return view.output == ViewOptions::Output::kJson
               ? PrintJson(io, turn.after)
               : Print(io, absl::StrCat(turn.after.id(), "\n"));
  }
  if (view.output == ViewOptions::Output::kText) {
    Note(io, absl::StrCat("task ", turn.after.id()));
  }
  return Follow(server, turn.before,
                {.view = view, .show = turn.show, .turns = TurnsOf(turn)}, io);
}

}  // namespace troika::cli
