// Tells who makes a request, and what they may ask for: the owner anything, an
// agent only what its own task allows (agent_policy.h, docs/security.md).
#ifndef TROIKA_SERVER_CALLER_H_
#define TROIKA_SERVER_CALLER_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "google/protobuf/map.h"
#include "http/message.h"
#include "server/agent_policy.h"
#include "server/tasks.h"
#include "task/home.h"

namespace troika {

struct Caller {
  enum class Role { kOwner, kAgent };
  Role role = Role::kOwner;
  std::string task;  // The agent's task. Empty if it is not one of ours.

  bool is_agent() const { return role == Role::kAgent; }
  // The name of the caller in notes.
  std::string name() const;
  // The caller's idempotency key, as no other caller has it: an agent must not
  // take the keys of its owner.
  std::string OwnKey(const std::string& key) const;
};

// PermissionDenied, because only the owner may do that.
absl::Status NotForAgents(absl::string_view what);

// Loop thread only.
class CallerPolicy {
 public:
  // `environment` is that of tasks whose requests bring none. Borrows the
  // others.
  CallerPolicy(Tasks* tasks, const Home* home, Environment environment)
      : tasks_(*tasks), home_(*home), environment_(std::move(environment)) {}

  Caller CallerOf(const http::Request& request) const;
  // The limits of the tasks that the caller starts or prompts. Nothing if they
  // have none, PermissionDenied if it may have no tasks at all.
  absl::StatusOr<std::optional<AgentLimits>> LimitsOf(
      const Caller& caller) const;
  // PermissionDenied if the caller may not make such a task. How deep agents
  // start agents is left to CheckDepth().
  absl::Status CheckCreate(const Caller& caller, TaskRequest* request) const;
  using Checked = absl::AnyInvocable<void(absl::Status)>;
  void CheckDepth(const Caller& caller, Checked checked) const;
  // PermissionDenied if the caller is an agent, and the task is neither its own
  // nor was made for it.
  void CheckEnd(const Caller& caller, const std::string& id,
                Checked checked) const;
  // The environment of a new task whose request carries `env`. An agent's
  // tasks get the environment of the agent's own task instead.
  absl::StatusOr<Environment> EnvironmentFor(
      const Caller& caller,
      const google::protobuf::Map<std::string, std::string>& env) const;
  const Environment& environment() const { return environment_; }

 private:
  // Adds the parents of the last task of `line`, as many as matter to agents.
  using Line = std::vector<std::string>;
  void AddParents(Line line, absl::AnyInvocable<void(Line)> done) const;

  Tasks& tasks_;
  const Home& home_;
  const Environment environment_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_CALLER_H_
