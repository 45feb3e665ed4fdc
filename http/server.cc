#include "http/server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "http/connection.h"

namespace troika::http {
namespace {

constexpr rlim_t kReservedDescriptors = 256;
constexpr rlim_t kLeastConnections = 16;
constexpr int kUnixAcceptsAtOnce = 64;
constexpr int kTcpAcceptsAtOnce = 16;
constexpr absl::Duration kRetryAccept = absl::Milliseconds(100);

// Lowers the limits to shares of the descriptors that the process may open.
// Half of them are for the Unix socket.
void FitDescriptors(Limits* limits) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t room = limit.rlim_cur > kReservedDescriptors + kLeastConnections
                          ? limit.rlim_cur - kReservedDescriptors
                          : kLeastConnections;
  const auto fit = [&](int* wanted, rlim_t eighths) {
    *wanted = static_cast<int>(
        std::min(static_cast<rlim_t>(*wanted), room / 8 * eighths));
  };
  fit(&limits->max_unix_connections, 4);
  fit(&limits->max_tcp_connections, 3);
  fit(&limits->max_anonymous_connections, 1);
}

Peer PeerOf(int fd, Peer::Kind kind) {
  Peer peer = {.kind = kind};
  ucred credentials = {};
  socklen_t size = sizeof(credentials);
  if (kind == Peer::Kind::kUnix &&
      getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
    peer.uid = credentials.uid;
    peer.pid = credentials.pid;
  }
  return peer;
}

}  // namespace

Waker::Waker(std::weak_ptr<Connection> connection)
    : connection_(std::move(connection)) {}

void Waker::Wake() const {
  if (const auto connection = connection_.lock()) connection->Wake();
}

bool Waker::gone() const {
  const auto connection = connection_.lock();
  return connection == nullptr || connection->closed();
}

Exchange::Exchange(std::weak_ptr<Connection> connection, Request request,
                   BodyCharge charge)
    : connection_(std::move(connection)),
      request_(std::move(request)),
      charge_(std::move(charge)) {}

Exchange::~Exchange() {
  if (answered_) return;
  if (const auto connection = connection_.lock()) {
    connection->ReplyError(500, "the server has no answer to this request");
  }
}

void Exchange::Reply(Response response) {
  CHECK(!std::exchange(answered_, true));
  if (const auto connection = connection_.lock()) {
    connection->Reply(std::move(response));
  }
}

void Exchange::Stream(
    Response head, absl::FunctionRef<std::unique_ptr<BodySource>(Waker)> make) {
  CHECK(!std::exchange(answered_, true));
  if (const auto connection = connection_.lock()) {
    connection->Stream(head, make);
  }
}

Server::Server(EventLoop* loop, const Limits& limits, Handler handler,
               ErrorBody error_body)
    : hub_(std::make_unique<Hub>()) {
  hub_->loop = loop;
  hub_->limits = limits;
  FitDescriptors(&hub_->limits);
  hub_->handler = std::move(handler);
  hub_->error_body = std::move(error_body);
  hub_->on_progress = [this] { OnProgress(); };
  // This also bounds how much is read ahead of a request that is being
  // answered.
  hub_->scratch.resize(std::max<size_t>(limits.max_head_bytes, 4096));
  retry_ = loop->NewTimer([this] {
    out_of_descriptors_ = false;
    SetAccepting();
  });
}

Server::~Server() { Close(); }

void Server::Close() {
  StopListening();
  hub_->on_progress = [] {};
  while (!hub_->connections.empty()) {
    hub_->connections.begin()->second->Close();
  }
}

void Server::SetGate(Gate gate) { hub_->gate = std::move(gate); }

void Server::Listen(UniqueFd socket, Peer::Kind kind) {
  auto owned = std::make_unique<Listener>();
  Listener* listener = owned.get();
  listener->kind = kind;
  listener->fd = std::move(socket);
  listener->watch = hub_->loop->WatchFd(
      listener->fd.get(), 0, [this, kind](short) { OnClient(kind); });
  listeners_.push_back(std::move(owned));
  SetAccepting();
}

void Server::StopListening() {
  for (const auto& listener : listeners_) listener->watch.reset();
  listeners_.clear();
}

size_t Server::connections() const { return hub_->connections.size(); }

int64_t Server::streams() const { return hub_->streams; }

void Server::Drain(absl::AnyInvocable<void()> drained) {
  drained_ = std::move(drained);
  for (const auto& listener : listeners_) {
    Accept(*listener, hub_->limits.max_unix_connections);
  }
  StopListening();
  hub_->draining = true;
  std::vector<std::shared_ptr<Connection>> connections;
  for (const auto& [key, connection] : hub_->connections) {
    connections.push_back(connection);
  }
  for (const auto& connection : connections) connection->Drain();
  OnProgress();
}

// Called when a connection has closed or only waits for its client to close it.
void Server::OnProgress() {
  SetAccepting();
  if (!hub_->draining || connections() > hub_->lingering) return;
  if (drained_ != nullptr) std::exchange(drained_, nullptr)();
}

bool Server::HasRoom(Peer::Kind kind) const {
  const Limits& limits = hub_->limits;
  return kind == Peer::Kind::kUnix
             ? hub_->rooms.unix_connections < limits.max_unix_connections
             : hub_->rooms.tcp_connections < limits.max_tcp_connections;
}

// Watches the listeners that have room for more clients.
void Server::SetAccepting() {
  for (const auto& listener : listeners_) {
    const bool accepts = !out_of_descriptors_ && HasRoom(listener->kind);
    listener->watch->SetEvents(accepts ? POLLIN : 0);
  }
}

void Server::OnClient(Peer::Kind kind) {
  // The owner's socket is served first, whichever socket is ready.
  for (const auto& listener : listeners_) {
    if (listener->kind != Peer::Kind::kUnix) continue;
    Accept(*listener, kUnixAcceptsAtOnce);
  }
  if (kind == Peer::Kind::kUnix) return;
  for (const auto& listener : listeners_) {
    if (listener->kind != Peer::Kind::kTcp) continue;
    Accept(*listener, kTcpAcceptsAtOnce);
  }
}

void Server::Accept(const Listener& listener, int at_most) {
  for (int i = 0; i < at_most; ++i) {
    if (!HasRoom(listener.kind)) break;
    UniqueFd fd(accept4(listener.fd.get(), nullptr, nullptr,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.ok()) {
      Open(std::move(fd), listener.kind);
      continue;
    }
    if (errno == EAGAIN) break;
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
        errno == ENOMEM) {
      // The client stays in the queue and the socket stays readable, so without
      // a pause the loop would spin.
      out_of_descriptors_ = true;
      retry_->SetIn(kRetryAccept);
      break;
    }
    // Other errors concern only this client, which is gone.
  }
  SetAccepting();
}

void Server::Open(UniqueFd fd, Peer::Kind kind) {
  if (kind == Peer::Kind::kTcp) {
    const int on = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  const Peer peer = PeerOf(fd.get(), kind);
  auto connection =
      std::make_shared<Connection>(hub_.get(), std::move(fd), peer);
  const auto max_anonymous =
      static_cast<size_t>(hub_->limits.max_anonymous_connections);
  while (hub_->rooms.anonymous.size() > max_anonymous) {
    hub_->rooms.anonymous.front()->Close();
  }
  hub_->connections[connection.get()] = connection;
  ++accepted_;
  connection->Start();
}

}  // namespace troika::http
