// The lock that makes a server the only one of its state folder.
#ifndef TROIKA_SERVER_SERVER_LOCK_H_
#define TROIKA_SERVER_SERVER_LOCK_H_

#include <sys/types.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika {

// Held until destroyed, or until the process ends, however it does.
class ServerLock {
 public:
  enum class Origin {
    kServe,      // Somebody ran `troika serve`.
    kAutomatic,  // A command started the server because it needed one.
  };
  // A server's entry in the lock file.
  struct Holder {
    pid_t pid = 0;  // 0 if the file does not say.
    Origin origin = Origin::kServe;
    std::string url;  // Empty before it listens.
  };

  // Nothing if another process holds the lock.
  static absl::StatusOr<std::optional<ServerLock>> TryTake(
      const std::string& home, Origin origin);
  // Reads the lock file, which may be that of a server that has ended.
  static Holder ReadHolder(const std::string& home);

  // Says where we serve, unless the disk is full.
  void SetUrl(absl::string_view url);

 private:
  ServerLock(UniqueFd fd, Origin origin)
      : fd_(std::move(fd)), origin_(origin) {}

  UniqueFd fd_;
  Origin origin_;
};

// Takes the lock for a new server. While its holder does not listen, it starts
// or stops, and is waited for. If it listens, AlreadyExists names it; but a
// server of `troika serve` tells an automatic one to stop, and takes its place.
absl::StatusOr<ServerLock> TakeServerLock(const std::string& home, int home_fd,
                                          ServerLock::Origin origin);

}  // namespace troika

#endif  // TROIKA_SERVER_SERVER_LOCK_H_
