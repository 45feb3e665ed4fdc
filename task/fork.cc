#include "task/fork.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/registry.h"
#include "base/status_macros.h"
#include "task/launcher.h"
#include "task/policy_files.h"

namespace troika {
namespace {

absl::StatusOr<notes::ForkSource> SourceOf(const TaskState& state, int turn) {
  // A turn that runs or waits is no part of the copy.
  const int running = state.turn_open && state.process_alive ? 1 : 0;
  const int ended = state.turns - state.turns_waiting - running;
  if (state.session_id.empty() || ended == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("task ", state.task,
                     " has no turn that has ended, so there is nothing to "
                     "fork: wait for its first turn"));
  }
  if (turn < 0 || turn > ended) {
    return absl::InvalidArgumentError(
        absl::StrCat("task ", state.task, " has no turn ", turn,
                     " that has ended; the last one is ", ended));
  }
  const int wanted = turn == 0 ? ended : turn;
  notes::ForkSource source = {.task = state.task, .turn = wanted};
  if (wanted == ended && running == 0) return source;
  const auto point = state.fork_points.find(wanted);
  if (point == state.fork_points.end()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the agent of task ", state.task, " gave turn ", wanted,
        " no name by which it can be forked there: ",
        running == 0 ? "fork it at its end, without a turn"
                     : "wait until its turn has ended, and fork it then"));
  }
  source.point = point->second;
  return source;
}

}  // namespace

absl::StatusOr<TaskRequest> ForkOf(const notes::Request& request,
                                   const TaskState& state, int turn) {
  RETURN_IF_ERROR(request.options_error);
  ASSIGN_OR_RETURN(const Backend* const backend, BackendById(request.harness));
  ASSIGN_OR_RETURN(notes::ForkSource source, SourceOf(state, turn));
  LaunchOptions options = NextOptions(request, state);
  if (options.model.empty() && !backend->fork_keeps_model) {
    options.model = state.model;
  }
  std::vector<notes::RulesFile> policy;
  for (const notes::RulesFile& file : request.policy) {
    // The others are read again.
    if (file.origin == kTaskPolicy || file.origin == kParentPolicy) {
      policy.push_back(file);
    }
  }
  return TaskRequest{.harness = backend->harness,
                     .prompt = "",
                     .cwd = request.cwd,
                     .options = std::move(options),
                     .title = "",
                     .labels = request.labels,
                     .timeouts = state.timeouts,
                     .resume_session = state.session_id,
                     .fork_session = true,
                     .fork = std::move(source),
                     .output_limit_bytes = request.output_limit_bytes,
                     .budget = state.budget.limits,
                     .require_policy = request.require_policy,
                     .inherited_policy = std::move(policy),
                     .policy_folder = request.policy_folder};
}

}  // namespace troika
