#include "relay/connections.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/unix_socket.h"
#include "relay/log_format.h"
#include "relay/pass_fds.h"
#include "relay/peer.h"

namespace troika::relay {
namespace {

constexpr size_t kMaxConnections = 512;
// Agents and what they start may not take all places, or they could keep others
// from stopping them.
constexpr size_t kMaxWithAgents = 384;
// After so many accepts, the agent's output gets its turn.
constexpr int kAcceptsAtOnce = 64;
constexpr absl::Duration kHelloDeadline = absl::Seconds(5);
constexpr absl::Duration kAcceptPause = absl::Seconds(1);
// A client is closed if it leaves more replies unread.
constexpr size_t kMaxOut = size_t{256} << 10;
constexpr size_t kReadChunk = size_t{16} << 10;
// Bytes that one connection may send before the others get their turn.
constexpr size_t kReadTurn = size_t{1} << 20;

// Returns the process at the other end, if it belongs to the owner or to root.
std::optional<Peer> OwnersPeer(int fd) {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      (peer.uid != geteuid() && peer.uid != 0)) {
    return std::nullopt;
  }
  return Peer{.pid = peer.pid, .accepted = TicksSinceBoot()};
}

absl::string_view WatcherText(WatchReason reason) {
  switch (reason) {
    case WatchReason::kAskedTo:
      break;
    case WatchReason::kOtherDrives:
      return "this connection only watches, as another one drives";
    case WatchReason::kNotAllowed:
      return "this connection may only watch: its process was started by an "
             "agent, or nobody can tell who started it";
  }
  return "this connection only watches";
}

}  // namespace

struct Connections::Connection {
  UniqueFd fd;
  FrameReader frames{kMaxFrame};
  std::string out;
  bool greeted = false;
  bool closing = false;  // Closes once `out` is sent.
  bool is_starter = false;
  Peer peer;  // Unless it is the starter.
  uint8_t version = kFrameVersion;
  Role role = Role::kWatcher;
  WatchReason watch_reason = WatchReason::kAskedTo;
  absl::Time hello_deadline;
  bool tip_due = false;
  bool trouble_due = false;
};

Connections::Connections(Clock* clock, Handler handler, Lender lender)
    : clock_(clock), handler_(std::move(handler)), lender_(std::move(lender)) {}

Connections::~Connections() = default;

absl::Status Connections::Listen(int dir_fd) {
  unlinkat(dir_fd, kSocketName, 0);
  ASSIGN_OR_RETURN(listener_, ListenUnix(dir_fd, kSocketName));
  return absl::OkStatus();
}

void Connections::AddStarter(UniqueFd fd) {
  auto connection = std::make_unique<Connection>();
  connection->fd = std::move(fd);
  connection->is_starter = true;
  connection->hello_deadline = clock_->Awake() + kHelloDeadline;
  connections_.push_back(std::move(connection));
  Read(*connections_.back());
}

void Connections::AddPollFds(std::vector<pollfd>* fds) const {
  // While no client can be accepted, polling the listener would keep us busy.
  fds->push_back(
      {.fd = accept_again_ ? -1 : listener_.get(), .events = POLLIN});
  for (const auto& c : connections_) {
    const bool wants_out = !c->out.empty() || c->tip_due || c->trouble_due;
    fds->push_back(
        {.fd = c->fd.get(),
         .events = static_cast<short>(wants_out ? POLLIN | POLLOUT : POLLIN)});
  }
}

void Connections::OnPolled(const pollfd* fds, absl::Time now) {
  const size_t count = connections_.size();
  for (size_t i = 0; i < count; ++i) {
    Connection& c = *connections_[i];
    const short events = fds[i + 1].revents;
    if ((events & (POLLIN | POLLHUP | POLLERR)) != 0) Read(c);
    if (c.fd.ok() && (events & POLLOUT) != 0) Send(c);
    if (!c.greeted && now >= c.hello_deadline) c.fd.Reset();
  }
  if (accept_again_ && now >= *accept_again_) accept_again_.reset();
  if ((fds[0].revents & POLLIN) != 0) Accept(now);
  std::erase_if(connections_, [](const auto& c) { return !c->fd.ok(); });
  ChooseDriver();
}

absl::Time Connections::deadline() const {
  absl::Time first = accept_again_.value_or(absl::InfiniteFuture());
  for (const auto& c : connections_) {
    if (!c->greeted) first = std::min(first, c->hello_deadline);
  }
  return first;
}

bool Connections::driven() const {
  return std::any_of(
      connections_.begin(), connections_.end(),
      [](const auto& c) { return c->fd.ok() && c->role == Role::kDriver; });
}

void Connections::Accept(absl::Time now) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    UniqueFd fd(accept4(listener_.get(), nullptr, nullptr,
                        SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.ok()) {
      const bool exhausted = errno == EMFILE || errno == ENFILE ||
                             errno == ENOBUFS || errno == ENOMEM;
      if (exhausted) accept_again_ = now + kAcceptPause;
      return;
    }
    const auto peer = OwnersPeer(fd.get());
    if (!peer) continue;
    if (connections_.size() >= kMaxConnections ||
        (connections_.size() >= kMaxWithAgents && !MayDriveUs(*peer))) {
      const std::string reply =
          Encode(Reply{.code = ReplyCode::kExhausted,
                       .text = "too many connections to this relay"});
      (void)send(fd.get(), reply.data(), reply.size(), MSG_NOSIGNAL);
      continue;
    }
    auto connection = std::make_unique<Connection>();
    connection->fd = std::move(fd);
    connection->peer = *peer;
    connection->hello_deadline = now + kHelloDeadline;
    connections_.push_back(std::move(connection));
  }
}

void Connections::Read(Connection& c) {
  char chunk[kReadChunk];
  size_t total = 0;
  while (c.fd.ok() && total < kReadTurn) {
    const ssize_t n = recv(c.fd.get(), chunk, sizeof(chunk), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return c.fd.Reset();
    total += static_cast<size_t>(n);
    if (c.closing) continue;
    c.frames.Feed({chunk, static_cast<size_t>(n)});
    while (const auto frame = c.frames.Next()) {
      if (c.closing) break;
      c.greeted ? OnCommand(c, *frame) : OnHello(c, *frame);
    }
    if (!c.frames.ok() && !c.closing) {
      c.out += Encode(Reply{.code = ReplyCode::kInvalid,
                            .text = "a frame has an invalid length"});
      c.closing = true;
    }
    Send(c);
  }
}

void Connections::OnHello(Connection& c, const Frame& frame) {
  const auto hello = DecodeHello(frame);
  if (!hello || hello->max_version < 1) {
    c.out += Encode(
        Reply{.code = hello ? ReplyCode::kUnsupported : ReplyCode::kInvalid,
              .text = hello ? "this relay speaks versions from 1 on"
                            : "the first frame is to be a hello"});
    c.closing = true;
    return;
  }
  c.greeted = true;
  c.version = std::min(hello->max_version, kFrameVersion);
  c.trouble_due = !trouble_.empty();
  if (hello->role == Role::kDriver) {
    c.watch_reason = c.is_starter || MayDriveUs(c.peer)
                         ? WatchReason::kOtherDrives
                         : WatchReason::kNotAllowed;
    ChooseDriver();
  }
  if (c.role != Role::kDriver) SendWelcome(c);
}

void Connections::SendWelcome(Connection& c) {
  c.out +=
      Encode(Welcome{.version = c.version,
                     .role = c.role,
                     .record = tip_.record,
                     .offset = tip_.offset,
                     .more = Welcome::More{.awake = clock_->Awake(),
                                           .watch_reason = c.watch_reason}});
}

void Connections::ChooseDriver() {
  if (driven()) return;
  const auto next =
      std::find_if(connections_.begin(), connections_.end(), [](const auto& c) {
        return c->fd.ok() && !c->closing &&
               c->watch_reason == WatchReason::kOtherDrives;
      });
  if (next == connections_.end()) return;
  Connection& c = **next;
  c.role = Role::kDriver;
  ++driver_number_;
  c.watch_reason = WatchReason::kAskedTo;
  c.frames.set_max_frame(kMaxCommandFrame);
  SendWelcome(c);
}

void Connections::OnCommand(Connection& c, const Frame& frame) {
  const auto command = DecodeCommand(frame);
  Reply reply;
  const absl::string_view key = KeyOf(frame);
  if (!command && frame.type >= static_cast<uint8_t>(FrameType::kWrite) &&
      frame.type <= static_cast<uint8_t>(kLastCommand)) {
    reply = {.code = ReplyCode::kInvalid, .text = "the frame is cut short"};
  } else if (!command) {
    reply = {.code = ReplyCode::kUnsupported,
             .text = absl::StrCat("this relay knows no command ", frame.type)};
  } else if (c.role != Role::kDriver) {
    reply = {.code = ReplyCode::kNotDriver,
             .text = std::string(WatcherText(c.watch_reason))};
  } else if (!IsKey(key)) {
    reply = {.code = ReplyCode::kInvalid,
             .text = "a key has 1 to 64 letters, digits, '.', '-' or '_'"};
  } else if (command->type == FrameType::kLend) {
    return Lend(c, key);
  } else if (command->type != FrameType::kReturn) {
    reply = handler_(*command);
  }
  reply.key = std::string(key.substr(0, kMaxKey));
  c.out += Encode(reply);
}

void Connections::Lend(Connection& c, absl::string_view key) {
  Reply reply = {.key = std::string(key)};
  Send(c);
  std::vector<int> fds;
  if (c.fd.ok() && c.out.empty()) fds = lender_();
  if (!fds.empty() && SendFds(c.fd.get(), fds, Encode(reply)).ok()) return;
  reply.code = ReplyCode::kEnded;
  reply.text = "the agent's stdout can't be lent";
  c.out += Encode(reply);
}

void Connections::Send(Connection& c) {
  if (c.greeted && c.out.empty()) {
    if (std::exchange(c.trouble_due, false)) {
      c.out += Encode(Trouble{.text = trouble_});
    }
    if (std::exchange(c.tip_due, false)) c.out += Encode(tip_);
  }
  while (!c.out.empty()) {
    const ssize_t n =
        send(c.fd.get(), c.out.data(), c.out.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return c.fd.Reset();
    c.out.erase(0, static_cast<size_t>(n));
  }
  if (c.out.size() > kMaxOut || (c.closing && c.out.empty())) c.fd.Reset();
}

void Connections::SendTip(const Tip& tip) {
  tip_ = tip;
  SendNotices(&Connection::tip_due);
}

void Connections::SendTrouble(absl::string_view text) {
  trouble_ = std::string(text);
  SendNotices(&Connection::trouble_due);
}

void Connections::SendNotices(bool Connection::*due) {
  for (const auto& c : connections_) {
    if (!c->fd.ok() || !c->greeted) continue;
    (*c).*due = true;
    if (c->out.empty()) Send(*c);
  }
}

}  // namespace troika::relay
