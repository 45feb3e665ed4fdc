// The connections to a relay: one drives, any number watch. A client that wants
// to drive while another does becomes the driver when that one is gone. No
// client can hold up the relay or the others: notices that a client does not
// read are dropped, but for the last of each kind, and a client that sends
// garbage is closed.
#ifndef TROIKA_RELAY_CONNECTIONS_H_
#define TROIKA_RELAY_CONNECTIONS_H_

#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "relay/frame.h"

namespace troika::relay {

// Listens in a task's folder, at kSocketName. The caller holds the log's lock,
// so an existing socket belongs to a dead relay and is replaced.
absl::StatusOr<UniqueFd> ListenIn(int dir_fd);

class Connections {
 public:
  // The result of a command. `text` is for people.
  struct Answer {
    ReplyCode code = ReplyCode::kOk;
    int64_t record = 0;
    std::string text;
  };

  class Handler {
   public:
    virtual ~Handler() = default;
    virtual Answer OnCommand(const Command& command) = 0;
    virtual Tip tip() const = 0;
    // The relay's clock for deadlines.
    virtual absl::Time Awake() const = 0;
  };

  // `handler` is borrowed.
  Connections(UniqueFd listener, Handler* handler);
  ~Connections();

  void AddPollFds(std::vector<pollfd>* fds) const;
  // `fds` are the polled entries that AddPollFds() added.
  void OnPolled(const pollfd* fds, absl::Time now);
  // The time at which to call OnPolled() even if nothing came.
  absl::Time deadline() const;

  // Whether a driver is connected.
  bool driven() const;

  void SendTip();
  void SendTrouble(absl::string_view text);

 private:
  struct Connection;

  void Accept(absl::Time now);
  void Read(Connection& connection);
  void OnFrame(Connection& connection, const Frame& frame);
  void OnHello(Connection& connection, const Frame& frame);
  void SendWelcome(Connection& connection);
  // If there is no driver, chooses the first connection that wants to drive.
  void ChooseDriver();
  void OnCommand(Connection& connection, const Frame& frame);
  void Send(Connection& connection);

  const UniqueFd listener_;
  Handler* const handler_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::string trouble_;
  // While descriptors have run out: the time to accept again.
  std::optional<absl::Time> accept_again_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_CONNECTIONS_H_
