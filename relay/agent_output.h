// Reads the agent's stdout and stderr, and records them as lines.
#ifndef TROIKA_RELAY_AGENT_OUTPUT_H_
#define TROIKA_RELAY_AGENT_OUTPUT_H_

#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/line_recorder.h"
#include "relay/read_pacer.h"
#include "relay/relay_log.h"

namespace troika::relay {

class AgentOutput {
 public:
  // Output beyond `max_log_bytes` is discarded. `log` and `clock` are borrowed.
  AgentOutput(int64_t max_log_bytes, RelayLog* log, Clock* clock);

  // Both are ends of pipes, which become nonblocking.
  void Open(UniqueFd out, UniqueFd err);

  // Adds kPollFds entries. While the disk is full, nothing is read: the agent
  // has to wait, because its output could not be recorded.
  static constexpr size_t kPollFds = 2;
  // The driver may read stdout instead.
  enum class Stdout { kOurs, kDrivers };
  void AddPollFds(absl::Time now, Stdout stdout_is,
                  std::vector<pollfd>* fds) const;
  void OnPolled(const pollfd* fds);
  // Records stdout that the driver has taken.
  void OnTaken(absl::string_view bytes) { Record(out_, bytes); }
  // Whether the driver may read stdout: no line is half-read, and the agent
  // prints little.
  bool CanLend(absl::Time now) const;
  int stdout_fd() const { return out_.fd.get(); }
  // The time at which to poll again even if nothing comes.
  absl::Time deadline(absl::Time now) const;

  // Records the lines that have no end yet, as parts.
  void FlushParts();
  // Reads the output that is left in the pipes once the agent is gone, for at
  // most a second each. Stops early if the disk is full.
  void ReadRest();
  // Ends both streams. What is still in the pipes is discarded.
  void Close();

  // Whether the log has reached its cap.
  bool capped() const { return capped_; }
  // Number of bytes that no record holds.
  int64_t discarded() const { return discarded_; }
  // Last bytes of stderr.
  absl::string_view err_tail() const;
  // When the agent wrote something; unset before its first output.
  std::optional<absl::Time> last_read() const { return last_read_; }

 private:
  struct Output {
    UniqueFd fd;
    LineRecorder lines;
    ReadPacer pacer = {};
  };

  void Read(Output& output);
  void Record(Output& output, absl::string_view bytes);

  const int64_t max_log_bytes_;
  RelayLog* const log_;
  Clock* const clock_;
  Output out_;
  Output err_;
  std::unique_ptr<char[]> buffer_;
  std::string err_tail_;
  bool capped_ = false;
  int64_t discarded_ = 0;
  std::optional<absl::Time> last_read_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_AGENT_OUTPUT_H_
