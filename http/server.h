// An HTTP/1.1 server in one thread, that a slow, broken or hostile client costs
// little: every phase of a request has a deadline, every buffer a bound.
//
//   http::Server server(&loop, {}, [](std::unique_ptr<http::Exchange> exchange)
//   {
//     exchange->Reply({.body = "{}"});
//   }, ErrorBody);
//   server.Listen(*std::move(socket), http::Peer::Kind::kTcp);
//   loop.Run();
//
// All of it is for the loop's thread only.
#ifndef TROIKA_HTTP_SERVER_H_
#define TROIKA_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/event_loop.h"
#include "base/fd.h"
#include "http/message.h"

namespace troika::http {

class Connection;
struct Hub;

// What a stream sends. It is asked only once the client has taken what it got,
// so that a slow client costs no memory.
class BodySource {
 public:
  enum class State {
    kMore,  // Ask again once that is sent.
    kWait,  // Nothing more before the waker is called.
    kEnd,   // Send that, and close.
  };
  virtual ~BodySource() = default;
  // Appends some bytes, about `room` at most.
  virtual State Fill(size_t room, std::string* out) = 0;
};

// Says that a stream has something to send. Harmless once the stream is gone.
class Waker {
 public:
  Waker() = default;
  explicit Waker(std::weak_ptr<Connection> connection);

  // Asks the source and writes, at once; within any source's Fill(), soon
  // after.
  void Wake() const;
  bool gone() const;

 private:
  std::weak_ptr<Connection> connection_;
};

// One request that waits for its answer. It may be kept and answered later;
// where the client or the server is gone by then, the answer goes nowhere.
// Destroyed without an answer: 500.
class Exchange {
 public:
  Exchange(std::weak_ptr<Connection> connection, Request request);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // HEAD is a GET here: the server leaves out the answer's body.
  const Request& request() const { return request_; }

  // One of the two, once. Written at once, as far as the client takes it. No
  // handler is called within: a request that waits behind this one has its turn
  // later.
  void Reply(Response response);
  // An answer without a length, that lasts until the source ends or the client
  // leaves; the connection then closes. The source is destroyed with it. Where
  // the client is gone, or asked for the head only, none is made.
  void Stream(Response head,
              absl::FunctionRef<std::unique_ptr<BodySource>(Waker)> make);

 private:
  std::weak_ptr<Connection> connection_;
  Request request_;
  bool answered_ = false;
};

struct Limits {
  size_t max_head_bytes = size_t{32} << 10;   // Over it: 431.
  size_t max_target_bytes = size_t{8} << 10;  // Over it: 414.
  size_t max_headers = 100;                   // Over it: 431.
  size_t max_body_bytes = size_t{24} << 20;   // Over it: 413.
  // Of all bodies that are being read. Over it: 503.
  size_t max_bodies_bytes = size_t{512} << 20;

  // For the whole head, from its first byte or from the connection's begin.
  absl::Duration head_deadline = absl::Seconds(10);
  absl::Duration body_deadline = absl::Seconds(60);
  absl::Duration keep_alive = absl::Seconds(75);  // Between requests.
  // Without any progress. A stream whose client does not read costs nothing.
  absl::Duration reply_stall = absl::Seconds(60);
  absl::Duration stream_stall = absl::Hours(1);
  // How long a connection that is closed goes on reading: a client that is
  // still sending would otherwise lose the answer.
  absl::Duration linger = absl::Seconds(1);

  // Others wait in the kernel. Lowered where the process may not open so many
  // descriptors, with 256 left for other uses.
  int max_connections = 4096;
};

// Not to be destroyed within its own callbacks.
class Server {
 public:
  using Handler = absl::AnyInvocable<void(std::unique_ptr<Exchange>)>;
  using ErrorBody = absl::AnyInvocable<Response(int, absl::string_view)>;

  // `error_body` makes the answer to a request that never reaches `handler`, of
  // its status and the reason.
  Server(EventLoop* loop, const Limits& limits, Handler handler,
         ErrorBody error_body);
  // Closes all connections as they are.
  ~Server();

  // Takes a nonblocking socket that listens. There may be several.
  void Listen(UniqueFd socket, Peer::Kind kind);
  void StopListening();

  size_t connections() const;
  int64_t streams() const;

 private:
  struct Listener {
    UniqueFd fd;
    Peer::Kind kind;
    std::unique_ptr<EventLoop::Watch> watch;
  };

  void Accept(const Listener& listener);
  void Open(UniqueFd fd, Peer::Kind kind);
  void SetAccepting();

  const int max_connections_;
  std::unique_ptr<Hub> hub_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  bool out_of_descriptors_ = false;
  std::unique_ptr<EventLoop::Timer> retry_;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_SERVER_H_
