// The file descriptors of a command, which tests replace, its exit codes, and
// the signals that end it.
#ifndef TROIKA_CLI_IO_H_
#define TROIKA_CLI_IO_H_

#include <poll.h>
#include <signal.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "base/fd.h"

namespace troika::cli {

// All are borrowed.
struct Io {
  int in = 0;
  int out = 1;
  int err = 2;
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;     // The command was tried and failed.
inline constexpr int kExitUsage = 2;       // The command line is wrong.
inline constexpr int kExitCancelled = 3;   // The turn was cancelled.
inline constexpr int kExitDenied = 4;      // The agent was denied something.
inline constexpr int kExitDeadline = 124;  // As of timeout(1).
inline constexpr int kExitInterrupted = 130;  // As of shells.
// Added to the number of the signal that ended the command.
inline constexpr int kExitSignal = 128;

// Reads what has come, after waiting for the first byte; 0 at the end.
absl::StatusOr<size_t> ReadSome(int fd, absl::Span<char> buffer);

// Cancelled if the reader is gone, which is not reported to anybody. SIGPIPE
// must be ignored.
absl::Status WriteAll(int fd, absl::string_view bytes);

// Reads until the end. ResourceExhausted if that is more than `max_bytes`;
// `name` stands for the input in errors.
absl::StatusOr<std::string> ReadToEnd(int fd, absl::string_view name,
                                      size_t max_bytes);

// ResourceExhausted if the file is longer than `max_bytes`.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);

// Opens a file, which the caller closes.
absl::StatusOr<int> OpenToRead(const std::string& path);

// Writes to `io.out` and returns the exit code.
int Print(const Io& io, absl::string_view text);

// Writes "troika: TEXT" to `io.err`.
void Note(const Io& io, absl::string_view text);

// Does the same, and returns kExitFailure.
int Fail(const Io& io, absl::string_view message);

// Waits until one of `fds` is ready or clock.Awake() is `wake_at`, and sets
// their `revents`. False if none is ready.
bool Wait(std::vector<pollfd>* fds, absl::Time wake_at, Clock& clock);

// While it lives, SIGINT, SIGTERM, SIGHUP and the signals in `others` are only
// seen here. A signal that our parent has set to be ignored stays ignored.
// There may be only one of it, and no threads that were started before it.
class Signals {
 public:
  explicit Signals(absl::Span<const int> others = {});
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return fd_.get(); }
  // Returns the signals that came since the last call.
  std::vector<int> Take();

 private:
  sigset_t before_;
  struct sigaction alarm_before_;
  UniqueFd fd_;
};

// Remembers the modes of the terminal, if there is one, for BlockingWrite.
// Called before anything changes them.
void RememberTerminal();

// Surrounds writes to a terminal or pipe, whose reader may have stopped
// reading. Signals can't be taken meanwhile, so a SIGTERM or SIGHUP that has
// waited for up to a second ends the program, and the terminal gets back the
// modes that it had.
class BlockingWrite {
 public:
  BlockingWrite();
  ~BlockingWrite();
  BlockingWrite(const BlockingWrite&) = delete;
  BlockingWrite& operator=(const BlockingWrite&) = delete;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_IO_H_
