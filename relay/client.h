// A connection to a relay. Records are not read here but from the log: the
// relay says when it has grown.
//
//   ASSIGN_OR_RETURN(Client client, Client::Connect(dir_fd, Role::kDriver));
//   client.Send({.type = FrameType::kWrite, .key = "turn-2", .payload = line});
//   poll({client.fd(), client.events()});
//   ASSIGN_OR_RETURN(Client::News news, client.OnPolled());
#ifndef TROIKA_RELAY_CLIENT_H_
#define TROIKA_RELAY_CLIENT_H_

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

// Passive: its owner polls. Not thread-safe.
class Client {
 public:
  struct Answer {
    std::string key;
    ReplyCode code = ReplyCode::kOk;
    int64_t record = 0;
    std::string text;
  };
  // What has come since the last call.
  struct News {
    bool tip = false;  // The log has grown.
    // The relay's clock for deadlines, just now. Old relays don't tell it.
    std::optional<absl::Time> awake;
    std::optional<std::string> trouble;  // Empty: it is over.
    std::vector<Answer> answers;
  };

  // Reaches the relay of a task's folder, whatever its path's length. Waits for
  // nothing: its welcome comes as all else does. Unavailable where none listens
  // there, or too many wait to be let in.
  static absl::StatusOr<Client> Connect(int dir_fd, Role role);

  int fd() const { return fd_.get(); }
  short events() const;

  // What the socket does not take at once waits here for OnPolled.
  void Send(const Command& command);
  // Reads and writes what can be. Unavailable where the relay is gone, and all
  // that it said was told;
  // FailedPrecondition where it speaks no version that we do.
  absl::StatusOr<News> OnPolled();

  // What we are to the relay, as another may drive it. Nothing before its
  // welcome: until then it may refuse what is sent.
  std::optional<Role> role() const { return role_; }
  // Why we watch. kOtherDrives: the relay makes us the driver when that one is
  // gone. Nothing before its welcome, and of relays that don't tell.
  std::optional<WatchReason> watch_reason() const { return watch_reason_; }

 private:
  explicit Client(UniqueFd fd) : fd_(std::move(fd)) {}

  void Write();
  absl::Status OnFrame(const Frame& frame, News* news);

  UniqueFd fd_;
  FrameReader frames_{kMaxFrame};
  std::string out_;
  std::optional<Role> role_;
  std::optional<WatchReason> watch_reason_;
  bool closed_ = false;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_CLIENT_H_
