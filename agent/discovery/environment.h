// The environment variables that a task runs with, to look things up in.
#ifndef TROIKA_AGENT_DISCOVERY_ENVIRONMENT_H_
#define TROIKA_AGENT_DISCOVERY_ENVIRONMENT_H_

#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace troika {

// Immutable; thread-safe.
class Environment {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  explicit Environment(Map variables) : variables_(std::move(variables)) {}

  // Empty where the variable is not set. Nobody here tells the two apart.
  absl::string_view Get(absl::string_view name) const {
    const auto it = variables_.find(name);
    return it == variables_.end() ? absl::string_view() : it->second;
  }
  const Map& variables() const { return variables_; }

 private:
  Map variables_;
};

// This process's own.
Environment ProcessEnvironment();

// What an agent may run with, and what may be kept for it: without the keys to
// Troika, without the marks of an agent that we run within, and without what
// the caller's shell left there. TROIKA_HOME stays, as an agent may use Troika.
Environment ForAgents(const Environment& environment);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_ENVIRONMENT_H_
