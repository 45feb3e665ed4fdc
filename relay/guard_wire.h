// The messages between relay and guard, each a packet.
#ifndef TROIKA_RELAY_GUARD_WIRE_H_
#define TROIKA_RELAY_GUARD_WIRE_H_

#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace troika::relay {

// A command of the relay.
struct GuardCommand {
  enum class Kind : int32_t {
    kSignal,  // Sends `signal` to the agent's group.
    kStop,    // Begins the ending, or takes its next step at once.
    kKill,    // Takes the last step of the ending.
  };
  Kind kind = Kind::kSignal;
  int32_t signal = 0;
  absl::Duration grace;
};

// A report of the guard.
struct GuardReport {
  enum class Kind : uint8_t {
    kStarted,      // `pid`
    kStartFailed,  // `text`
    kSignalled,    // `signal`
    kExited,       // `status` and resource usage.
    kLeftover,     // `names` outlived the agent and were ended.
    kGone,         // No process is left; the guard ends.
  };
  Kind kind = Kind::kStarted;
  int32_t pid = 0;
  int32_t signal = 0;
  int32_t status = 0;  // Status from wait4().
  absl::Duration user_time;
  absl::Duration system_time;
  int64_t max_rss_kb = 0;
  std::string text;
  std::vector<std::string> names;
};

inline constexpr size_t kMaxGuardPacket = 8 << 10;

// Makes a kExited report from the results of wait4().
GuardReport ExitReport(int status, const rusage& used);

std::string Encode(const GuardReport& report);
GuardReport DecodeReport(const std::string& packet);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_GUARD_WIRE_H_
