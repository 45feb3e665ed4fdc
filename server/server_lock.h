// One server for each state folder.
#ifndef TROIKA_SERVER_SERVER_LOCK_H_
#define TROIKA_SERVER_SERVER_LOCK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika {

// Held until destroyed, or until the process ends, however it does.
class ServerLock {
 public:
  // AlreadyExists names the one that has it.
  static absl::StatusOr<ServerLock> Take(const std::string& home);

  // Who we are and where we serve, for others to read.
  absl::Status Tell(absl::string_view url);

 private:
  explicit ServerLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_SERVER_LOCK_H_
