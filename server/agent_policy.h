// Decides what an agent may ask of the server that runs it: nothing that it
// could not do itself.
#ifndef TROIKA_SERVER_AGENT_POLICY_H_
#define TROIKA_SERVER_AGENT_POLICY_H_

#include <optional>
#include <string>

#include "agent/launch/abilities.h"
#include "task/request.h"
#include "task/runner.h"

namespace troika {

// The limits of the tasks that an agent starts or prompts.
struct AgentLimits {
  Abilities abilities;      // Those of the agent's own task, as far as known.
  std::string permissions;  // Where they are from: "codex, edit_mode research".
  std::string cwd;
  std::vector<notes::RulesFile> policy = {};  // The rules of that task,
  std::vector<std::string> granted = {};      // and those that answers added.
};

// The limits of a task's agent. Nothing if it may do everything itself.
std::optional<AgentLimits> LimitsOfTask(const Runner& runner);

// Lets the task of an agent's request only read, if the CLI's own configuration
// would decide alone what it may do: the user made that for other callers.
void LowerNative(TaskRequest* request);

// The freest edit mode of the harness that exceeds neither the limits nor
// `wanted`; research if none does.
EditMode LoweredMode(const AgentLimits& limits, const Backend& backend,
                     EditMode wanted);

// The part of a request that exceeds the limits, in words that follow "with";
// empty if there is none. Options that are not known to be harmless exceed
// them. Paths in the request are replaced by what they lead to, so that the
// paths that were checked are the ones that are used.
std::string ExceedsLimits(const AgentLimits& limits, TaskRequest* request);

// The same for a turn of a task: the agent must be able to start such a task.
std::string TurnExceedsLimits(const AgentLimits& limits, const Runner& runner,
                              TurnRequest* turn);

// The path that `path` leads to, if that is `folder` or within it.
std::optional<std::string> ResolveWithin(const std::string& folder,
                                         const std::string& path);

}  // namespace troika

#endif  // TROIKA_SERVER_AGENT_POLICY_H_
