// What a relay is told at its start. It comes through a file descriptor: an
// environment holds secrets, and command lines can be read by everybody.
//
// The relay program may be older or newer than the server that starts it, as a
// server runs on while the programs are replaced. So the bytes begin with a
// magic and a version, and each field has a tag and a length:
//
//   "TRKS" │ version (1) │ tag (1) │ length (4) │ value │ tag (1) │ …
//
// A reader passes over tags that it does not know, except those from 128 on,
// which a relay must not start without. Specs written before there was a
// version have no magic, and are still read.
#ifndef TROIKA_RELAY_SPEC_H_
#define TROIKA_RELAY_SPEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika::relay {

// The descriptors that a relay inherits, by number.
inline constexpr int kSpecFd = 3;
inline constexpr int kLogFd = 4;    // Open and locked.
inline constexpr int kDirFd = 5;    // The task's folder.
inline constexpr int kReadyFd = 6;  // Told once that the relay serves.
inline constexpr int kLastInheritedFd = kReadyFd;

enum class StdinMode : uint8_t { kNull = 0, kPipe = 1 };

struct RelaySpec {
  std::vector<std::string> argv;  // The program's path first.
  std::vector<std::string> env;   // NAME=VALUE
  std::string cwd;
  StdinMode stdin_mode = StdinMode::kPipe;
  std::string spawned_note;  // Written before the agent is started.
  std::string spawned_key;
  int64_t max_log_bytes = int64_t{4} << 30;
  // The three are whole milliseconds.
  absl::Duration grace = absl::Seconds(5);  // Between the signals of an end.
  absl::Duration disk_full_wait = absl::Minutes(1);  // Then the agent ends.
  // An agent that nobody drives and that has been silent for so long gets no
  // more input: one that waits for it ends.
  absl::Duration undriven = absl::Minutes(10);

  bool operator==(const RelaySpec&) const = default;
};

std::string Encode(const RelaySpec& spec);
// InvalidArgument where the bytes are damaged, FailedPrecondition where they
// are of a version that this program can't follow; both say what to do.
absl::StatusOr<RelaySpec> DecodeSpec(absl::string_view bytes);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SPEC_H_
