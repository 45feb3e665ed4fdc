// Watches whether a log can be written, and keeps a reserve for a full disk.
#ifndef TROIKA_RELAY_DISK_WATCH_H_
#define TROIKA_RELAY_DISK_WATCH_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "relay/log_writer.h"

namespace troika::relay {

class DiskWatch {
 public:
  // `dir_fd` is borrowed.
  explicit DiskWatch(int dir_fd) : dir_fd_(dir_fd) {}
  ~DiskWatch();

  // Reserves a block in the folder, for the log's last record on a full disk.
  void Reserve();

  // Takes the status of a write. Returns a message for people if writes begin
  // to fail or succeed again, else "".
  std::string OnWrite(const absl::Status& status, absl::Time now);
  // Since when writes fail; unset while they succeed.
  std::optional<absl::Time> failing_since() const { return failing_since_; }

  // Returns why the log must not be written to any more: its file was removed,
  // or truncated by somebody else. Empty if all is well.
  std::string Inspect(const LogWriter& log) const;

  // Frees the reserved block.
  void UseReserve();

 private:
  const int dir_fd_;
  std::optional<absl::Time> failing_since_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_DISK_WATCH_H_
