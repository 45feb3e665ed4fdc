// The connections to a relay: one drives, any number watch. Who wants to drive
// while another does becomes the driver when that one is gone. None of them can
// hold up the relay or each other: what a client does not read is dropped but
// for the last notice of each kind, and who sends nonsense is closed.
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
#include "base/fd.h"
#include "relay/frame.h"

namespace troika::relay {

// Listens in a task's folder, at kSocketName. The caller holds the log's lock,
// so a socket that is there is a dead relay's.
absl::StatusOr<UniqueFd> ListenIn(int dir_fd);

class Connections {
 public:
  // What came of a command. `text` is for people.
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
    virtual int64_t AwakeMicros() const = 0;
  };

  // `handler` is borrowed.
  Connections(UniqueFd listener, Handler* handler);
  ~Connections();

  void AddPollFds(std::vector<pollfd>* fds) const;
  // `fds` are those that AddPollFds added, polled. Times are microseconds.
  void OnPolled(const pollfd* fds, int64_t now);
  // When OnPolled is to be called even where nothing came; 0: not at all.
  int64_t deadline() const;

  // Whether a driver is connected.
  bool driven() const;

  void SendTip();
  void SendTrouble(absl::string_view text);

 private:
  struct Connection;

  void Accept(int64_t now);
  void Read(Connection& connection);
  void OnFrame(Connection& connection, const Frame& frame);
  void OnHello(Connection& connection, const Frame& frame);
  void SendWelcome(Connection& connection);
  // Makes the first of those who want to drive the driver, where none is there.
  void ChooseDriver();
  void OnCommand(Connection& connection, const Frame& frame);
  void Send(Connection& connection);

  const UniqueFd listener_;
  Handler* const handler_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::string trouble_;
  int64_t accept_again_ = 0;  // Descriptors have run out until then; 0: no.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_CONNECTIONS_H_
