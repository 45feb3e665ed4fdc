// Whether a log can be written, and what to do where it can't.
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

  // Sets a block aside in the folder, for the log's last words on a full disk.
  void Reserve();

  // A write succeeded or did not. Returns what to tell people where that is
  // news, else an empty text.
  std::string OnWrite(const absl::Status& status, absl::Time now);
  // Since when writes fail; unset while they succeed.
  std::optional<absl::Time> failing_since() const { return failing_since_; }

  // Why the log is no place to write to any more: its file was removed, or cut
  // behind our back. Empty where all is well.
  std::string Inspect(const LogWriter& log) const;

  // Frees the block.
  void UseReserve();

 private:
  const int dir_fd_;
  std::optional<absl::Time> failing_since_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_DISK_WATCH_H_
