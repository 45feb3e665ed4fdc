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
constexpr int kAcceptsAtOnce = 64;
constexpr absl::Duration kRetryAccept = absl::Milliseconds(100);

int ConnectionLimit(int wanted) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t room = limit.rlim_cur > kReservedDescriptors + kLeastConnections
                          ? limit.rlim_cur - kReservedDescriptors
                          : kLeastConnections;
  return static_cast<int>(std::min<rlim_t>(static_cast<rlim_t>(wanted), room));
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

Exchange::Exchange(std::weak_ptr<Connection> connection, Request request)
    : connection_(std::move(connection)), request_(std::move(request)) {}

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
    : max_connections_(ConnectionLimit(limits.max_connections)),
      hub_(std::make_unique<Hub>()) {
  hub_->loop = loop;
  hub_->limits = limits;
  hub_->handler = std::move(handler);
  hub_->error_body = std::move(error_body);
  hub_->on_closed = [this] { SetAccepting(); };
  // As much is read ahead of a request that is being answered.
  hub_->scratch.resize(std::max<size_t>(limits.max_head_bytes, 4096));
  retry_ = loop->NewTimer([this] {
    out_of_descriptors_ = false;
    SetAccepting();
  });
}

Server::~Server() {
  StopListening();
  hub_->on_closed = [] {};
  while (!hub_->connections.empty()) {
    hub_->connections.begin()->second->Close();
  }
}

void Server::Listen(UniqueFd socket, Peer::Kind kind) {
  auto owned = std::make_unique<Listener>();
  Listener* listener = owned.get();
  listener->kind = kind;
  listener->fd = std::move(socket);
  listener->watch = hub_->loop->WatchFd(
      listener->fd.get(), 0, [this, listener](short) { Accept(*listener); });
  listeners_.push_back(std::move(owned));
  SetAccepting();
}

void Server::StopListening() {
  for (const auto& listener : listeners_) listener->watch.reset();
  listeners_.clear();
}

size_t Server::connections() const { return hub_->connections.size(); }

int64_t Server::streams() const { return hub_->streams; }

// Watches the listeners, unless there is no room for more.
void Server::SetAccepting() {
  const bool room = !out_of_descriptors_ &&
                    connections() < static_cast<size_t>(max_connections_);
  for (const auto& listener : listeners_) {
    listener->watch->SetEvents(room ? POLLIN : 0);
  }
}

void Server::Accept(const Listener& listener) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    if (connections() >= static_cast<size_t>(max_connections_)) break;
    UniqueFd fd(accept4(listener.fd.get(), nullptr, nullptr,
                        SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.ok()) {
      Open(std::move(fd), listener.kind);
      continue;
    }
    if (errno == EAGAIN) break;
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
        errno == ENOMEM) {
      // The client stays in the queue, and the socket readable: without a pause
      // this would spin.
      out_of_descriptors_ = true;
      retry_->SetIn(kRetryAccept);
      break;
    }
    // Anything else is about that one client, who is gone.
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
  hub_->connections[connection.get()] = connection;
  connection->Start();
}

}  // namespace troika::http
