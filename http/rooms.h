// Accounts for the connections of a server and the memory of their requests'
// bodies, separately for each kind of client.
#ifndef TROIKA_HTTP_ROOMS_H_
#define TROIKA_HTTP_ROOMS_H_

#include <cstddef>
#include <list>
#include <memory>
#include <utility>

#include "http/message.h"

namespace troika::http {

class Connection;

// Accounts for a body while anything holds it: subtracts its bytes from the
// total when it is destroyed. Movable.
class BodyCharge {
 public:
  BodyCharge() = default;
  explicit BodyCharge(std::shared_ptr<size_t> total)
      : total_(std::move(total)) {}
  ~BodyCharge() { Set(0); }
  BodyCharge(BodyCharge&& other) noexcept
      : total_(std::move(other.total_)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  BodyCharge& operator=(BodyCharge&& other) noexcept {
    Set(0);
    total_ = std::move(other.total_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  void Set(size_t bytes) {
    if (total_ == nullptr) return;
    *total_ += bytes - bytes_;
    bytes_ = bytes;
  }
  // Bytes of all bodies that are charged to the same total.
  size_t total() const { return total_ == nullptr ? 0 : *total_; }

 private:
  std::shared_ptr<size_t> total_;
  size_t bytes_ = 0;
};

// The connections and the bytes of bodies that each limit counts.
struct Rooms {
  BodyCharge NewCharge(Peer::Kind kind) const {
    return BodyCharge(kind == Peer::Kind::kUnix ? unix_bodies : tcp_bodies);
  }

  int unix_connections = 0;
  int tcp_connections = 0;
  // In the order in which they were accepted.
  std::list<Connection*> anonymous;
  const std::shared_ptr<size_t> unix_bodies = std::make_shared<size_t>(0);
  const std::shared_ptr<size_t> tcp_bodies = std::make_shared<size_t>(0);
};

// Counts a connection in one of the rooms.
class Seat {
 public:
  enum class Room { kNone, kUnix, kTcp, kAnonymous };

  // Both are borrowed.
  Seat(Rooms* rooms, Connection* connection)
      : rooms_(rooms), connection_(connection) {}

  Room room() const { return room_; }
  void Enter(Room room) {
    Count(-1);
    if (room_ == Room::kAnonymous) rooms_->anonymous.erase(position_);
    room_ = room;
    Count(1);
    if (room_ != Room::kAnonymous) return;
    position_ = rooms_->anonymous.insert(rooms_->anonymous.end(), connection_);
  }

 private:
  void Count(int by) {
    if (room_ == Room::kUnix) rooms_->unix_connections += by;
    if (room_ == Room::kTcp) rooms_->tcp_connections += by;
  }

  Rooms* const rooms_;
  Connection* const connection_;
  Room room_ = Room::kNone;
  std::list<Connection*>::iterator position_;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_ROOMS_H_
