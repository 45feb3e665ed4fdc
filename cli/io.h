// File descriptors of a command, so that tests can give it others.
#ifndef TROIKA_CLI_IO_H_
#define TROIKA_CLI_IO_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika::cli {

// All are borrowed.
struct Io {
  int in = 0;
  int out = 1;
  int err = 2;
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;  // It was tried and did not work.
inline constexpr int kExitUsage = 2;    // The command line is wrong.
// How a task ended, where it did neither well nor badly.
inline constexpr int kExitCancelled = 3;
inline constexpr int kExitDeadline = 124;     // As timeout(1) has it.
inline constexpr int kExitInterrupted = 130;  // As shells have it.
// Plus its number: a signal told us to leave.
inline constexpr int kExitSignal = 128;

// What is there, waiting for the first byte of it; 0 at the end.
absl::StatusOr<size_t> ReadSome(int fd, absl::Span<char> buffer);

// Cancelled where the reader is gone, which is no error to tell anybody.
// Needs SIGPIPE to be ignored.
absl::Status WriteAll(int fd, absl::string_view bytes);

// All until the end. ResourceExhausted where that is more than `max_bytes`;
// `name` says what was read.
absl::StatusOr<std::string> ReadToEnd(int fd, absl::string_view name,
                                      size_t max_bytes);

// ResourceExhausted where the file is longer than `max_bytes`.
absl::StatusOr<std::string> ReadFile(const std::string& path, size_t max_bytes);

// An open file, or why it can't be read. The caller closes it.
absl::StatusOr<int> OpenToRead(const std::string& path);

// Writes to `io.out` and returns the exit code.
int Print(const Io& io, absl::string_view text);

// Writes "troika: MESSAGE" to `io.err` and returns kExitFailure.
int Fail(const Io& io, absl::string_view message);

}  // namespace troika::cli

#endif  // TROIKA_CLI_IO_H_
