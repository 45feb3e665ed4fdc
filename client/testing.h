// A server with scripted replies, on a socket of its own.
#ifndef TROIKA_CLIENT_TESTING_H_
#define TROIKA_CLIENT_TESTING_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/event_loop.h"
#include "base/mutex.h"
#include "client/address.h"
#include "http/server.h"
#include "testing/files.h"

namespace troika::client {

// A temporary folder whose path is too long for the address of a socket.
class TestHome {
 public:
  const std::string& path() const { return folder_.path(); }
  int fd() const { return folder_.fd(); }
  ServerAddress address() const {
    return {.url = "http://troika", .home = path()};
  }

 private:
  const TempFolder folder_ = TempFolder(std::string(120, 'x'));
};

// Serves in a thread until it is destroyed.
class ScriptedServer {
 public:
  struct Answer {
    http::Response response;
    // Streams this after the response's head, and ends.
    std::string stream;
    enum class Kind { kReply, kStream } kind = Kind::kReply;
  };
  using Script = std::function<Answer(const http::Request&)>;

  // `script` is called in the server's thread.
  ScriptedServer(const TestHome& home, Script script);
  ~ScriptedServer();

  // "GET /path?query", in the order in which they came.
  std::vector<std::string> requests() const;

 private:
  void Handle(std::unique_ptr<http::Exchange> exchange);

  Script script_;
  EventLoop loop_;
  std::unique_ptr<http::Server> server_;
  mutable Mutex mutex_;
  std::vector<std::string> requests_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace troika::client

#endif  // TROIKA_CLIENT_TESTING_H_
