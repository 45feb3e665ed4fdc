// The configuration of a relay. It comes through a file descriptor, because an
// environment holds secrets, and everybody can read command lines.
//
// The relay program may be older or newer than the server that starts it,
// because a server keeps running while the programs are replaced. So the bytes
// begin with a magic and a version, and each field has a tag and a length:
//
//   "TRKS" │ version (1) │ tag (1) │ length (4) │ value │ tag (1) │ …
//
// A reader ignores unknown tags below 128; a relay that does not know a tag
// from 128 on must not start. Specs written before there was a version have no
// magic, and are still read.
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
inline constexpr int kLogFd = 4;  // Open and locked.
inline constexpr int kDirFd = 5;  // The task's folder.
// The relay reports there once whether it serves.
inline constexpr int kReadyFd = 6;
inline constexpr int kLastInheritedFd = kReadyFd;

// The only descriptor of a spare relay (relay/spare.h): a socket over which it
// says that it waits, and gets the descriptors above.
inline constexpr int kSpareFd = 3;
// In the environment of a spare relay.
inline constexpr char kSpareVariable[] = "TROIKA_SPARE=1";

// In the environment of a relay that has no living parent, because its starter
// saw to that. Other relays fork for it.
inline constexpr char kDetachedVariable[] = "TROIKA_DETACHED=1";

enum class StdinMode : uint8_t { kNull = 0, kPipe = 1 };

struct RelaySpec {
  std::vector<std::string> argv;  // The program's path first.
  std::vector<std::string> env;   // NAME=VALUE
  std::string cwd;
  StdinMode stdin_mode = StdinMode::kPipe;
  std::string spawned_note;  // Appended before the agent is started.
  std::string spawned_key;
  // Commands that write to the agent's stdin or close it, as frames. They are
  // recorded together with spawned_note, and carried out while the agent
  // starts. An old relay ignores them, so their sender looks in the log whether
  // it has to send them again.
  std::vector<std::string> first_commands;
  int64_t max_log_bytes = int64_t{4} << 30;
  // These three durations are whole milliseconds.
  absl::Duration grace = absl::Seconds(5);  // Between the signals of an ending.
  absl::Duration disk_full_wait = absl::Minutes(1);  // The agent is then ended.
  // If no driver is connected and the agent is silent for this long, its stdin
  // is closed, so that an agent that waits for input ends.
  absl::Duration undriven = absl::Minutes(10);

  bool operator==(const RelaySpec&) const = default;
};

std::string Encode(const RelaySpec& spec);
// Returns InvalidArgument if the bytes are damaged, FailedPrecondition if this
// program does not know their version; both say what to do.
absl::StatusOr<RelaySpec> DecodeSpec(absl::string_view bytes);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SPEC_H_
