// For tests: a server on its own thread, and clients that block.
#ifndef TROIKA_HTTP_SERVER_TESTING_H_
#define TROIKA_HTTP_SERVER_TESTING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "base/event_loop.h"
#include "base/fd.h"
#include "http/server.h"
#include "testing/files.h"

namespace troika::http {

// A client's socket. Reads give up after 10 seconds and return nothing.
class TestClient {
 public:
  explicit TestClient(UniqueFd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  void Send(absl::string_view bytes);
  // Sends "GET path HTTP/1.1" with a Host header.
  void SendGet(absl::string_view path);
  // Returns one response: its head, the empty line and the body.
  std::string Read();
  std::string ReadUntil(absl::string_view text);
  std::string ReadUntilClosed();
  bool Closed();  // Whether the server closes within 10 seconds.
  void Leave() { fd_.Reset(); }
  void HalfClose();

  // These return the status and the body of Read(), as "200 body".
  std::string Get(absl::string_view path);
  std::string ReadShort();

 private:
  bool Receive();

  UniqueFd fd_;
  std::string in_;
  bool eof_ = false;
};

// Routes: /echo describes its request, /big replies with ?BYTES bytes, /later
// keeps its exchange, /drop destroys it, /inject has a header with control
// characters, /stream and /flood stream. Access all members in OnLoop().
class TestServer {
 public:
  explicit TestServer(const Limits& limits = Limits(),
                      Server::Gate gate = nullptr);
  ~TestServer();

  void OnLoop(absl::FunctionRef<void()> what);
  // Waits at most 10 seconds until the condition, evaluated on the loop's
  // thread, holds.
  bool Await(absl::FunctionRef<bool()> condition);
  TestClient Connect();
  TestClient ConnectUnix();
  UniqueFd TcpSocket();    // Not connected.
  void ConnectTo(int fd);  // Connects a TcpSocket().
  // Connects a client and waits until the server has accepted it.
  TestClient ConnectAccepted();
  void Destroy() {
    OnLoop([this] { server_.reset(); });
  }

  Server& server() { return *server_; }

  // The next output of /stream, and its waker.
  struct Channel {
    std::string text;
    bool end = false;
    bool wake_within_fill = false;
    Waker waker;
    int64_t fills = 0;
    bool destroyed = false;
  };
  std::vector<std::shared_ptr<Channel>> channels;
  std::vector<std::unique_ptr<Exchange>> kept;

 private:
  void Handle(std::unique_ptr<Exchange> exchange);

  EventLoop loop_;
  const TempFolder folder_;
  int port_ = 0;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_SERVER_TESTING_H_
