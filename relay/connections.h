// The connections to a relay: one drives, any number watch. A client that wants
// to drive while another does becomes the driver when that one is gone. No
// client can hold up the relay or the others: notices that a client does not
// read are dropped, but for the last of each kind, and a client that sends
// garbage is closed.
#ifndef TROIKA_RELAY_CONNECTIONS_H_
#define TROIKA_RELAY_CONNECTIONS_H_

#include <poll.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/frame.h"

namespace troika::relay {

class Connections {
 public:
  // Carries out the driver's command. The reply's key is set by the caller.
  using Handler = std::function<Reply(const Command& command)>;

  // Returns the descriptors of a lease for the driver, or none if it can't have
  // one. They are borrowed.
  using Lender = std::function<std::vector<int>()>;

  // `clock` is borrowed.
  Connections(Clock* clock, Handler handler, Lender lender);
  ~Connections();

  // Listens in a task's folder, at kSocketName. The caller holds the log's
  // lock, so an existing socket belongs to a dead relay and is replaced.
  absl::Status Listen(int dir_fd);

  // Adds the connection of the process that gave us our task. It may drive,
  // whatever its ancestry is.
  void AddStarter(UniqueFd fd);

  void AddPollFds(std::vector<pollfd>* fds) const;
  // `fds` are the polled entries that AddPollFds() added.
  void OnPolled(const pollfd* fds, absl::Time now);
  // The time at which to call OnPolled() even if nothing came.
  absl::Time deadline() const;

  // Whether a driver is connected.
  bool driven() const;
  // Number of the last driver: each has another one.
  int64_t driver_number() const { return driver_number_; }
  // Whether the driver is the only client.
  bool driven_alone() const { return connections_.size() == 1 && driven(); }

  void SendTip(const Tip& tip);
  void SendTrouble(absl::string_view text);

 private:
  struct Connection;

  void Accept(absl::Time now);
  void Read(Connection& connection);
  void OnHello(Connection& connection, const Frame& frame);
  void SendWelcome(Connection& connection);
  // If there is no driver, chooses the first connection that wants to drive.
  void ChooseDriver();
  void OnCommand(Connection& connection, const Frame& frame);
  void Lend(Connection& connection, absl::string_view key);
  void Send(Connection& connection);

  // Sends the notices that are due to every client that takes them now.
  void SendNotices(bool Connection::*due);

  Clock* const clock_;
  const Handler handler_;
  const Lender lender_;
  int64_t driver_number_ = 0;
  UniqueFd listener_;
  std::vector<std::unique_ptr<Connection>> connections_;
  Tip tip_;
  std::string trouble_;
  // While descriptors have run out: the time to accept again.
  std::optional<absl::Time> accept_again_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_CONNECTIONS_H_
