// Holds the environment variables that a task runs with.
#ifndef TROIKA_AGENT_DISCOVERY_ENVIRONMENT_H_
#define TROIKA_AGENT_DISCOVERY_ENVIRONMENT_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace troika {

// Immutable, and cheap to copy; thread-safe.
class Environment {
 public:
  using Map = std::map<std::string, std::string, std::less<>>;

  Environment() = default;
  explicit Environment(Map variables)
      : variables_(std::make_shared<const Map>(std::move(variables))) {}

  // Returns an empty string if the variable is not set; no caller needs to
  // distinguish the two.
  absl::string_view Get(absl::string_view name) const {
    const auto it = variables_->find(name);
    return it == variables_->end() ? absl::string_view() : it->second;
  }
  const Map& variables() const { return *variables_; }

 private:
  // Shared, because a task's environment passes through many functions and
  // threads.
  std::shared_ptr<const Map> variables_ = std::make_shared<const Map>();
};

// Returns the environment of this process.
Environment ProcessEnvironment();

// Returns the variables that an agent may run with and that may be stored for
// it: without Troika's credentials, without the marks of an agent that we run
// inside, and without those of the caller's shell. TROIKA_HOME stays, because
// an agent may use Troika.
Environment ForAgents(const Environment& environment);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_ENVIRONMENT_H_
