// An HTTP/1.1 server in one thread. A slow, broken or hostile client costs it
// little: every phase of a request has a deadline and every buffer a bound. The
// Unix socket and TCP have connections and memory of their own, so that no TCP
// client can keep the owner of the Unix socket waiting.
//
//   http::Server server(&loop, {}, [](std::unique_ptr<http::Exchange> exchange)
//   {
//     exchange->Reply({.body = "{}"});
//   }, ErrorBody);
//   server.SetGate(CheckToken);
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
#include "http/body_charge.h"
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
  Exchange(std::weak_ptr<Connection> connection, Request request,
           BodyCharge charge);
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
  BodyCharge charge_;
  bool answered_ = false;
};

// A decision about a request, made when its head is complete.
struct Admission {
  enum class Level {
    kTrusted,  // The connection gets all the room that its socket has.
    // The request is handled if it has no body; a TCP connection that was never
    // trusted closes after the reply.
    kAnonymous,
    kRefused,  // `refusal` is sent and the connection closes.
  };
  Level level = Level::kTrusted;
  Response refusal;
};

struct Limits {
  size_t max_head_bytes = size_t{32} << 10;   // Over it: 431.
  size_t max_target_bytes = size_t{8} << 10;  // Over it: 414.
  size_t max_headers = 100;                   // Over it: 431.
  size_t max_body_bytes = size_t{24} << 20;   // Over it: 413.
  // For all bodies that are being read or handled: once for the Unix socket and
  // once for TCP. Over it: 503.
  size_t max_bodies_bytes = size_t{256} << 20;

  // For the whole head, from its first byte or from the connection's begin.
  absl::Duration head_deadline = absl::Seconds(10);
  // The same for a TCP client that was not trusted yet.
  absl::Duration anonymous_deadline = absl::Seconds(5);
  absl::Duration body_deadline = absl::Seconds(60);
  absl::Duration keep_alive = absl::Seconds(75);  // Between requests.
  // Without any progress. A stream whose client does not read costs nothing.
  absl::Duration reply_stall = absl::Seconds(60);
  absl::Duration stream_stall = absl::Hours(1);
  // How long a connection that is closed goes on reading: a client that is
  // still sending would otherwise lose the answer.
  absl::Duration linger = absl::Seconds(1);

  // Further clients wait in the kernel. These limits are lowered if the process
  // may not open so many descriptors; 256 are left for other uses.
  int max_unix_connections = 4096;
  int max_tcp_connections = 2048;
  // TCP connections that a gate has not trusted yet. For one more, the oldest
  // is closed: a client that sends its request at once is always served.
  int max_anonymous_connections = 128;
};

// Not to be destroyed within its own callbacks.
class Server {
 public:
  using Handler = absl::AnyInvocable<void(std::unique_ptr<Exchange>)>;
  using ErrorBody = absl::AnyInvocable<Response(int, absl::string_view)>;
  // Gets the request without its body, of which nothing has been read.
  using Gate = absl::AnyInvocable<Admission(const Request&)>;

  // `error_body` makes the answer to a request that never reaches `handler`, of
  // its status and the reason.
  Server(EventLoop* loop, const Limits& limits, Handler handler,
         ErrorBody error_body);
  // Closes all connections as they are.
  ~Server();

  // Without a gate every connection is trusted. Call it before Listen().
  void SetGate(Gate gate);
  // Takes a nonblocking socket that listens. There may be several.
  void Listen(UniqueFd socket, Peer::Kind kind);
  // Accepts the clients that wait in the kernel and stops listening. Closes
  // streams and idle connections at once, and each other connection after its
  // reply. Then calls `drained`, perhaps before Drain() returns.
  void Drain(absl::AnyInvocable<void()> drained);
  // Stops listening and closes all connections as they are.
  void Close();

  // Connections that are open, and those that ever were.
  size_t connections() const;
  size_t accepted() const { return accepted_; }
  int64_t streams() const;

 private:
  struct Listener {
    UniqueFd fd;
    Peer::Kind kind;
    std::unique_ptr<EventLoop::Watch> watch;
  };

  void OnClient(Peer::Kind kind);
  void Accept(const Listener& listener, int at_most);
  bool HasRoom(Peer::Kind kind) const;
  void Open(UniqueFd fd, Peer::Kind kind);
  void SetAccepting();
  void StopListening();
  void OnProgress();

  std::unique_ptr<Hub> hub_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  bool out_of_descriptors_ = false;
  std::unique_ptr<EventLoop::Timer> retry_;
  absl::AnyInvocable<void()> drained_;
  size_t accepted_ = 0;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_SERVER_H_
