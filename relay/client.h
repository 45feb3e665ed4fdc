// A connection to a relay. Records are not sent over it: clients read them from
// the log, and the relay says when the log has grown.
//
//   ASSIGN_OR_RETURN(Client client, Client::Connect(dir_fd, Role::kDriver));
//   client.Send({.type = FrameType::kWrite, .key = "turn-2", .payload = line});
//   poll({client.fd(), client.events()});
//   ASSIGN_OR_RETURN(Client::News news, client.OnPolled());
#ifndef TROIKA_RELAY_CLIENT_H_
#define TROIKA_RELAY_CLIENT_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "relay/frame.h"

namespace troika::relay {

// Passive: the owner polls. Not thread-safe.
class Client {
 public:
  // Frames that have come since the last call.
  struct News {
    bool tip = false;  // The log has grown.
    // The relay's clock for deadlines, just now. Old relays don't send it.
    std::optional<absl::Time> awake;
    std::optional<std::string> trouble;  // Empty if the trouble is over.
    std::vector<Reply> replies;
    // Descriptors of a lease, with the reply to a kLend.
    std::vector<UniqueFd> lent;
  };

  // Connects to the relay of a task's folder; the path may have any length.
  // Does not wait: the welcome comes with OnPolled(), as all else does. Returns
  // Unavailable if no relay listens there, or too many clients wait to be
  // accepted.
  static absl::StatusOr<Client> Connect(int dir_fd, Role role);

  // Makes a connection for a relay that gets its other end as a descriptor.
  static absl::StatusOr<Client> Pair(pid_t relay, UniqueFd* relays_end);

  int fd() const { return fd_.get(); }
  short events() const;
  pid_t relay_pid() const { return relay_pid_; }  // 0 if it is not known.

  // Sends as much as the socket takes; OnPolled() sends the rest.
  void Send(const Command& command);
  // Reads and writes without blocking. Returns Unavailable if the relay is gone
  // and all its frames were returned, FailedPrecondition if we don't know the
  // version that it speaks.
  absl::StatusOr<News> OnPolled();

  // Our role, which is watcher if another client drives. Unset before the
  // relay's welcome: until then it may refuse commands.
  std::optional<Role> role() const { return role_; }
  // Why we watch. If it is kOtherDrives, the relay makes us the driver when the
  // other one is gone. Unset before the welcome, and with relays that don't
  // send it.
  std::optional<WatchReason> watch_reason() const { return watch_reason_; }

 private:
  // Says hello.
  Client(UniqueFd fd, pid_t relay, Role role);

  void Write();
  absl::Status OnFrame(const Frame& frame, News* news);

  UniqueFd fd_;
  pid_t relay_pid_;
  FrameReader frames_{kMaxFrame};
  std::string out_;
  std::optional<Role> role_;
  std::optional<WatchReason> watch_reason_;
  bool closed_ = false;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_CLIENT_H_
