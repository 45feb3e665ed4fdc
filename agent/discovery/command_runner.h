// Runs a short command and returns its output.
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
    kInError,  // Output and stderr end the error if the command fails.
  };

  std::vector<std::string> argv;  // The path first.
  // Stands for `argv` in errors, if it is not to be shown.
  std::string name = {};
  Environment env;
  absl::Duration deadline;
  Stderr stderr_mode = Stderr::kDiscard;
  // Written to stdin. Without it, stdin is empty.
  std::string input = {};
  enum class InputEnd {
    kStaysOpen,  // stdin does not end; at most 4 KiB.
    kEnds,       // stdin ends after the input, of any size.
  };
  InputEnd input_end = InputEnd::kStaysOpen;
  // If not empty, the command is killed when it has printed a line that
  // contains this text, and that line is the output.
  std::string last_line_has = {};
};

class CommandRunner {
 public:
  virtual ~CommandRunner() = default;

  // Returns what the command wrote to stdout. FailedPrecondition if it can't be
  // started, exits with anything but 0, or exits before the last line that was
  // asked for; DeadlineExceeded if it does not end in time; Cancelled after
  // CancelCommands().
  virtual absl::StatusOr<std::string> Run(const Command& command) = 0;
};

// Runs each command in a process group of its own, which is
// killed when the command exits. Keeps the first MiB of output. Blocks;
// thread-safe.
class ProcessRunner final : public CommandRunner {
 public:
  static constexpr size_t kMaxOutputBytes = 1 << 20;

  absl::StatusOr<std::string> Run(const Command& command) override;
};

// Kills all running commands and makes later ones fail with Cancelled. For a
// process that is about to exit. Thread-safe.
void CancelCommands();

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_COMMAND_RUNNER_H_
