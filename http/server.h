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
// Everything is for the loop's thread only.
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
#include "http/rooms.h"

namespace troika::http {

class Connection;
struct Hub;

// Produces the body of a stream. It is asked for bytes only once the client has
// taken the previous ones, so that a slow client costs no memory.
class BodySource {
 public:
  enum class State {
    kMore,  // Call Fill() again once these bytes are sent.
    kWait,  // There is no more before the waker is called.
    kEnd,   // Send these bytes and close.
  };
  virtual ~BodySource() = default;
  // Appends some bytes to `out`, at most about `room`.
  virtual State Fill(size_t room, std::string* out) = 0;
};

// Reports that a stream has something to send. Does nothing once the stream is
// gone.
class Waker {
 public:
  Waker() = default;
  explicit Waker(std::weak_ptr<Connection> connection);

  // Asks the source and writes at once, or soon after if called within the
  // Fill() of any source.
  void Wake() const;
  bool gone() const;

 private:
  std::weak_ptr<Connection> connection_;
};

// A request that waits for its answer. It may be kept and answered later; if
// the client or the server is gone by then, the answer is dropped. If it is
// destroyed without an answer, the client gets status 500.
class Exchange {
 public:
  Exchange(std::weak_ptr<Connection> connection, Request request,
           BodyCharge charge);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // A HEAD request appears as GET: the server leaves out the answer's body.
  const Request& request() const { return request_; }

  // Call either Reply() or Stream(), once. The answer is written at once, as
  // far as the client takes it. No handler is called within: a request that
  // waits behind this one is handled later.
  void Reply(Response response);
  // Sends an answer without a length, which lasts until the source ends or the
  // client leaves; then the connection closes and the source is destroyed. No
  // source is created if the client is gone or has asked for the head only.
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
    kTrusted,  // The connection may use all the room of its socket.
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
  // Limit of all bodies that are being read or handled: one for the Unix socket
  // and one for TCP. Over it: 503.
  size_t max_bodies_bytes = size_t{256} << 20;

  // For the whole head, from its first byte or from the start of the
  // connection.
  absl::Duration head_deadline = absl::Seconds(10);
  // The same for a TCP client that is not trusted yet.
  absl::Duration anonymous_deadline = absl::Seconds(5);
  absl::Duration body_deadline = absl::Seconds(60);
  absl::Duration keep_alive = absl::Seconds(75);  // Between requests.
  // Longest time without progress. A stream whose client does not read costs
  // nothing.
  absl::Duration reply_stall = absl::Seconds(60);
  absl::Duration stream_stall = absl::Hours(1);
  // How long a closed connection continues to read: otherwise a client that is
  // still sending would lose the answer.
  absl::Duration linger = absl::Seconds(1);

  // Further clients wait in the kernel. These limits are lowered if the process
  // may not open so many descriptors; 256 are left for other uses.
  int max_unix_connections = 4096;
  int max_tcp_connections = 2048;
  // TCP connections that a gate has not trusted yet. For one more, the oldest
  // is closed, so a client that sends its request at once is always served.
  int max_anonymous_connections = 128;
};

// Must not be destroyed within its own callbacks.
class Server {
 public:
  using Handler = absl::AnyInvocable<void(std::unique_ptr<Exchange>)>;
  using ErrorBody = absl::AnyInvocable<Response(int, absl::string_view)>;
  // Gets the request without its body, which has not been read.
  using Gate = absl::AnyInvocable<Admission(const Request&)>;

  // `error_body` makes the answer to a request that never reaches `handler`,
  // from its status and the reason.
  Server(EventLoop* loop, const Limits& limits, Handler handler,
         ErrorBody error_body);
  // Closes all connections at once.
  ~Server();

  // Without a gate every connection is trusted. Call before Listen().
  void SetGate(Gate gate);
  // Adds a nonblocking socket that listens. There may be several.
  void Listen(UniqueFd socket, Peer::Kind kind);
  // Accepts the clients that wait in the kernel and stops listening. Closes
  // streams and idle connections at once, and each other connection after its
  // reply. Then calls `drained`, perhaps before Drain() returns.
  void Drain(absl::AnyInvocable<void()> drained);
  // Stops listening and closes all connections at once.
  void Close();

  // Number of connections that are open, and of all that were accepted.
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
