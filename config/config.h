// Reads the user's configuration, $XDG_CONFIG_HOME/troika/config.toml:
//
//   [acp.goose]                       # troika run goose "fix it"
//   command = ["goose", "acp"]
//   agents = true                     # Agents may start it, too.
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

namespace troika {

// An agent that speaks the Agent Client Protocol.
struct AcpAgent {
  std::vector<std::string> command;  // The program and its arguments.
  bool agents = false;               // Whether agents may start it.

  bool operator==(const AcpAgent&) const = default;
};

struct Config {
  std::map<std::string, AcpAgent, std::less<>> acp;  // By name.

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
