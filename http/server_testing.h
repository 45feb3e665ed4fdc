// For tests of the server: one in its own thread, and clients that block.
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

// A client's socket. Waits 10 seconds for anything, then there is nothing.
class TestClient {
 public:
  explicit TestClient(UniqueFd fd) : fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  void Send(absl::string_view bytes);
  // "GET path HTTP/1.1", with a Host.
  void SendGet(absl::string_view path);
  // One response: its head, the empty line, and a body of its Content-Length.
  std::string Read();
  std::string ReadUntil(absl::string_view text);
  std::string ReadUntilClosed();
  bool Closed();  // By the server, now or within the 10 seconds.
  void Leave() { fd_.Reset(); }
  void HalfClose();

  // The status and the body of Read(), as "200 body".
  std::string Get(absl::string_view path);
  std::string ReadShort();

 private:
  bool Receive();

  UniqueFd fd_;
  std::string in_;
  bool eof_ = false;
};

// Routes: /echo says what it was asked, /big replies with ?BYTES bytes, /later
// keeps its exchange, /drop destroys it, /inject has a nasty header, /stream
// and /flood stream. All members are of the loop's thread: look at them in
// OnLoop().
class TestServer {
 public:
  explicit TestServer(const Limits& limits = Limits(),
                      Server::Gate gate = nullptr);
  ~TestServer();

  void OnLoop(absl::FunctionRef<void()> what);
  // Until the condition, evaluated in the loop's thread, holds; at most 10 s.
  bool Await(absl::FunctionRef<bool()> condition);
  TestClient Connect();
  TestClient ConnectUnix();
  UniqueFd TcpSocket();    // Not connected.
  void ConnectTo(int fd);  // It.
  // Connects a client and waits until the server has accepted it.
  TestClient ConnectAccepted();
  void Destroy() {
    OnLoop([this] { server_.reset(); });
  }

  Server& server() { return *server_; }

  // What /stream sends next, and its wakers.
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
