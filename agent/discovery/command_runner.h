// Runs a short command and gives what it printed.
#ifndef TROIKA_AGENT_DISCOVERY_COMMAND_RUNNER_H_
#define TROIKA_AGENT_DISCOVERY_COMMAND_RUNNER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"

namespace troika {

struct Command {
  enum class Stderr {
    kDiscard,
    kInError,  // If the command fails, its output and stderr end the error.
  };

  std::vector<std::string> argv;  // The path first.
  Environment env;
  absl::Duration deadline;
  Stderr stderr_mode = Stderr::kDiscard;
};

class CommandRunner {
 public:
  virtual ~CommandRunner() = default;

  // What the command wrote to stdout. FailedPrecondition where it can't be
  // started or ends with anything but 0; DeadlineExceeded where it does not end
  // in time; Cancelled after CancelCommands().
  virtual absl::StatusOr<std::string> Run(const Command& command) = 0;
};

// As a process of its own group, which is killed whole at the command's end,
// without input. Of what it prints the first MiB is
// kept. Blocks; thread-safe.
class ProcessRunner final : public CommandRunner {
 public:
  static constexpr size_t kMaxOutputBytes = 1 << 20;

  absl::StatusOr<std::string> Run(const Command& command) override;
};

// Kills all commands that run now, and makes later ones fail with Cancelled:
// the process is about to end. Thread-safe.
void CancelCommands();

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_COMMAND_RUNNER_H_
