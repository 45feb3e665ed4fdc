// Reads the user's configuration, $XDG_CONFIG_HOME/troika/config.toml:
//
//   [run]                             # Defaults of `troika run`.
//   harness = "claude"
//   edit_mode = "auto_edit"
//
//   [folder."/home/me/src/app"]       # The same for a folder and those below.
//   model = "opus"
//
//   [acp.goose]                       # troika run goose "fix it"
//   command = ["goose", "acp"]
//   agents = true                     # Agents may start it, too.
//
//   [hook.phone]                      # Tells somebody (docs/hooks.md).
//   on = ["asking", "failed"]
//   command = ["notify-send", "troika"]
//
// A key that is not known is an error, so that no setting is ignored silently.
#ifndef TROIKA_CONFIG_CONFIG_H_
#define TROIKA_CONFIG_CONFIG_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "config/hook.h"

namespace troika {

// An agent that speaks the Agent Client Protocol.
struct AcpAgent {
  std::vector<std::string> command;  // The program and its arguments.
  bool agents = false;               // Whether agents may start it.

  bool operator==(const AcpAgent&) const = default;
};

// Defaults of `troika run`, as its flags take them; empty ones are not set.
struct RunDefaults {
  std::string harness;
  std::string edit_mode;
  std::string model;
  std::string effort;
  // Limits of a task: deadlines and its budget.
  std::string timeout;
  std::string start_timeout;
  std::string idle_timeout;
  std::string task_timeout;
  std::string approval_timeout;
  std::string tool_timeout;
  std::string max_cost;
  std::string max_tokens;
  std::string max_turns;
  std::string max_time;

  bool operator==(const RunDefaults&) const = default;
};

// The keys of [run] and [folder."PATH"], in the order in which they are shown.
struct RunKey {
  absl::string_view name;
  std::string RunDefaults::*value;
  bool is_limit = false;  // The flag has the same name, with dashes.
};
inline constexpr RunKey kRunKeys[] = {
    {"harness", &RunDefaults::harness},
    {"edit_mode", &RunDefaults::edit_mode},
    {"model", &RunDefaults::model},
    {"effort", &RunDefaults::effort},
    {"timeout", &RunDefaults::timeout, true},
    {"start_timeout", &RunDefaults::start_timeout, true},
    {"idle_timeout", &RunDefaults::idle_timeout, true},
    {"task_timeout", &RunDefaults::task_timeout, true},
    {"approval_timeout", &RunDefaults::approval_timeout, true},
    {"tool_timeout", &RunDefaults::tool_timeout, true},
    {"max_cost", &RunDefaults::max_cost, true},
    {"max_tokens", &RunDefaults::max_tokens, true},
    {"max_turns", &RunDefaults::max_turns, true},
    {"max_time", &RunDefaults::max_time, true}};

struct Config {
  RunDefaults run;
  std::map<std::string, RunDefaults, std::less<>> folders;  // By path.
  std::map<std::string, AcpAgent, std::less<>> acp;         // By name.
  std::map<std::string, Hook, std::less<>> hooks;           // By name.

  bool operator==(const Config&) const = default;
};

// Returns where the file is; empty if the environment names no folder for it.
std::string ConfigPath(const Environment& env);

// InvalidArgument names the line: "PATH:3: unknown key \"comand\" in …".
absl::StatusOr<Config> ParseConfig(absl::string_view text,
                                   absl::string_view path);

// Returns an empty Config if there is no file. Blocks.
absl::StatusOr<Config> ReadConfig(const Environment& env);

}  // namespace troika

#endif  // TROIKA_CONFIG_CONFIG_H_
