// A relay that was started before there is a task for it. With its guard it
// waits until it gets one, so that the start of an agent needs no start of a
// relay.
//
//   ASSIGN_OR_RETURN(SpareRelay spare, SpareRelay::Start(program));  // Blocks.
//   ...
//   if (spare.waits()) starting = spare.HandOver(spec, log, dir_fd);
#ifndef TROIKA_RELAY_SPARE_H_
#define TROIKA_RELAY_SPARE_H_

#include <sys/types.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/fd.h"
#include "relay/log_writer.h"
#include "relay/spec.h"
#include "relay/start.h"

namespace troika::relay {

// A spare ends when it is destroyed without a task.
class SpareRelay {
 public:
  // Waits until the program runs, but not until it waits for a task.
  static absl::StatusOr<SpareRelay> Start(const std::string& program);

  // Whether it has said that it waits for a task. The program of an older
  // version never does.
  bool waits();
  // The descriptor that becomes readable when that changes.
  int fd() const { return socket_.get(); }
  int process() const { return process_.get(); }  // A pidfd.

  // Gives it a task, as StartRelay() does, with a connection to drive it; call
  // it only while waits(). Does not block. An error leaves `log` to the caller,
  // who can start another relay.
  absl::StatusOr<StartingRelay> HandOver(const RelaySpec& spec, LogWriter& log,
                                         int dir_fd);

 private:
  SpareRelay(UniqueFd socket, UniqueFd process, pid_t pid)
      : socket_(std::move(socket)), process_(std::move(process)), pid_(pid) {}

  UniqueFd socket_;
  UniqueFd process_;
  pid_t pid_;
  bool waits_ = false;
  bool takes_driver_ = false;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SPARE_H_
