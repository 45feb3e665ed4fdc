// What a relay is told at its start. It comes through a file descriptor: an
// environment holds secrets, and command lines can be read by everybody.
#ifndef TROIKA_RELAY_SPEC_H_
#define TROIKA_RELAY_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

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
  uint32_t grace_ms = 5000;            // Between the signals of an end.
  uint32_t disk_full_wait_ms = 60000;  // Before the agent is stopped.
  // An agent that nobody drives and that has been silent for so long gets no
  // more input: one that waits for it ends.
  uint32_t undriven_ms = 600000;
};

std::string Encode(const RelaySpec& spec);
std::optional<RelaySpec> DecodeSpec(absl::string_view bytes);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SPEC_H_
