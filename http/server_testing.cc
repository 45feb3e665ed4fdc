#include "http/server_testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <future>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/unix_socket.h"
#include "gtest/gtest.h"
#include "http/listen.h"

namespace troika::http {
namespace {

constexpr char kSocketName[] = "test.sock";

class ChannelSource : public BodySource {
 public:
  explicit ChannelSource(std::shared_ptr<TestServer::Channel> channel)
      : channel_(std::move(channel)) {}
  ~ChannelSource() override {
    channel_->destroyed = true;
    channel_->waker.Wake();
  }
  State Fill(size_t, std::string* out) override {
    ++channel_->fills;
    out->append(std::exchange(channel_->text, std::string()));
    if (std::exchange(channel_->wake_within_fill, false)) {
      channel_->text = "woken within";
      channel_->waker.Wake();
    }
    return channel_->end ? State::kEnd : State::kWait;
  }

 private:
  const std::shared_ptr<TestServer::Channel> channel_;
};

class FloodSource : public BodySource {
 public:
  explicit FloodSource(std::shared_ptr<TestServer::Channel> channel)
      : channel_(std::move(channel)) {}
  State Fill(size_t room, std::string* out) override {
    ++channel_->fills;
    out->append(room, 'x');
    return channel_->end ? State::kEnd : State::kMore;
  }

 private:
  const std::shared_ptr<TestServer::Channel> channel_;
};

}  // namespace

void TestClient::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size =
        send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0) return;  // The test notices by what it reads.
    bytes.remove_prefix(static_cast<size_t>(size));
  }
}

void TestClient::SendGet(absl::string_view path) {
  Send(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: test\r\n\r\n"));
}

bool TestClient::Receive() {
  char buffer[65536];
  const ssize_t size = eof_ ? 0 : recv(fd_.get(), buffer, sizeof(buffer), 0);
  if (size <= 0) {
    eof_ = eof_ || size == 0 || errno == ECONNRESET;
    return false;
  }
  in_.append(buffer, static_cast<size_t>(size));
  return true;
}

std::string TestClient::ReadUntil(absl::string_view text) {
  size_t at;
  while ((at = absl::string_view(in_).find(text)) == absl::string_view::npos) {
    if (!Receive()) return absl::StrCat("no ", text, " in: ", in_);
  }
  const std::string out = in_.substr(0, at + text.size());
  in_.erase(0, out.size());
  return out;
}

std::string TestClient::Read() {
  std::string out = ReadUntil("\r\n\r\n");
  size_t length = 0;
  const size_t at = out.find("Content-Length: ");
  if (at != std::string::npos) {
    const size_t digits = at + strlen("Content-Length: ");
    CHECK(absl::SimpleAtoi(out.substr(digits, out.find('\r', digits) - digits),
                           &length));
  }
  while (in_.size() < length && Receive()) {
  }
  out += in_.substr(0, length);
  in_.erase(0, length);
  return out;
}

std::string TestClient::ReadShort() {
  const std::string response = Read();
  const size_t body = response.find("\r\n\r\n");
  if (!absl::StartsWith(response, "HTTP/1.1 ") || body == std::string::npos) {
    return absl::StrCat("no response: ", response);
  }
  return absl::StrCat(response.substr(strlen("HTTP/1.1 "), 3), " ",
                      response.substr(body + 4));
}

std::string TestClient::Get(absl::string_view path) {
  SendGet(path);
  return ReadShort();
}

std::string TestClient::ReadUntilClosed() {
  while (Receive()) {
  }
  return eof_ ? std::exchange(in_, std::string()) : "not closed";
}

bool TestClient::Closed() {
  while (Receive()) {
  }
  return eof_;
}

void TestClient::HalfClose() { shutdown(fd_.get(), SHUT_WR); }

TestServer::TestServer(const Limits& limits, Server::Gate gate) {
  server_ = std::make_unique<Server>(
      &loop_, limits,
      [this](std::unique_ptr<Exchange> exchange) {
        Handle(std::move(exchange));
      },
      [](int, absl::string_view message) {
        return Response{.body = absl::StrCat("error: ", message)};
      });
  server_->SetGate(std::move(gate));
  auto tcp = ListenTcp("127.0.0.1", 0);
  auto local = ListenUnix(folder_.fd(), kSocketName);
  CHECK(tcp.ok() && local.ok());
  port_ = BoundPort(tcp->get());
  server_->Listen(*std::move(tcp), Peer::Kind::kTcp);
  server_->Listen(*std::move(local), Peer::Kind::kUnix);
  thread_ = std::thread([this] { loop_.Run(); });
}

TestServer::~TestServer() {
  OnLoop([this] {
    server_.reset();
    kept.clear();
    channels.clear();
  });
  loop_.Stop();
  thread_.join();
}

void TestServer::OnLoop(absl::FunctionRef<void()> what) {
  std::promise<void> done;
  loop_.Post([&] {
    what();
    done.set_value();
  });
  done.get_future().wait();
}

bool TestServer::Await(absl::FunctionRef<bool()> condition) {
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  bool holds = false;
  while (!holds && absl::Now() < deadline) {
    OnLoop([&] { holds = condition(); });
    if (!holds) absl::SleepFor(absl::Milliseconds(1));
  }
  return holds;
}

UniqueFd TestServer::TcpSocket() {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience = {.tv_sec = 10, .tv_usec = 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  return fd;
}

void TestServer::ConnectTo(int fd) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) ==
        0);
}

TestClient TestServer::Connect() {
  UniqueFd fd = TcpSocket();
  ConnectTo(fd.get());
  return TestClient(std::move(fd));
}

TestClient TestServer::ConnectAccepted() {
  size_t before = 0;
  OnLoop([&] { before = server_->accepted(); });
  TestClient client = Connect();
  CHECK(Await([&] { return server_->accepted() > before; }));
  return client;
}

TestClient TestServer::ConnectUnix() {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience = {.tv_sec = 10, .tv_usec = 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  absl::StrCat("/proc/self/fd/", folder_.fd(), "/", kSocketName)
      .copy(address.sun_path, sizeof(address.sun_path) - 1);
  CHECK(connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                sizeof(address)) == 0);
  return TestClient(std::move(fd));
}

void TestServer::Handle(std::unique_ptr<Exchange> exchange) {
  const Request& request = exchange->request();
  if (request.path == "/later") {
    kept.push_back(std::move(exchange));
  } else if (request.path == "/big") {
    size_t bytes = 0;
    CHECK(absl::SimpleAtoi(request.query, &bytes));
    exchange->Reply({.body = std::string(bytes, 'b')});
  } else if (request.path == "/inject") {
    exchange->Reply({.headers = {{"X-Name", "a\r\nEvil: b"}}});
  } else if (request.path == "/empty") {
    exchange->Reply({.status = 204, .body = "not sent"});
  } else if (request.path == "/stream" || request.path == "/flood") {
    auto channel = std::make_shared<Channel>();
    channels.push_back(channel);
    exchange->Stream({.content_type = "text/event-stream"},
                     [&](Waker waker) -> std::unique_ptr<BodySource> {
                       channel->waker = waker;
                       waker.Wake();
                       if (request.path == "/flood") {
                         return std::make_unique<FloodSource>(channel);
                       }
                       channel->text = "hello\n";
                       return std::make_unique<ChannelSource>(channel);
                     });
  } else if (request.path != "/drop") {
    exchange->Reply(
        {.body = absl::StrCat(request.method, " ", request.path, " ",
                              request.query, " ", request.body,
                              request.peer.kind == Peer::Kind::kUnix
                                  ? absl::StrCat(" uid=", request.peer.uid,
                                                 " pid=", request.peer.pid)
                                  : "")});
  }
}

}  // namespace troika::http
