// A client's connection: reads a request, has it answered, reads the next.
#ifndef TROIKA_HTTP_CONNECTION_H_
#define TROIKA_HTTP_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/event_loop.h"
#include "base/fd.h"
#include "http/message.h"
#include "http/request_parser.h"
#include "http/response.h"
#include "http/server.h"

namespace troika::http {

// State that all connections of a server share.
struct Hub {
  EventLoop* loop;
  Limits limits;
  Server::Handler handler;
  Server::ErrorBody error_body;
  Server::Gate /*nullable*/ gate;
  // Called when a connection has closed or has begun to linger.
  absl::AnyInvocable<void()> on_progress;
  // Shared, because wakers and exchanges refer to connections that may be gone,
  // and because a connection must live until its running call returns.
  absl::flat_hash_map<Connection*, std::shared_ptr<Connection>> connections;
  std::vector<char> scratch;  // Buffer for reads.
  // Number of connections in each room. Anonymous connections are in the order
  // in which they were accepted.
  int unix_connections = 0;
  int tcp_connections = 0;
  std::list<Connection*> anonymous;
  size_t lingering = 0;
  int64_t streams = 0;
  // Bytes of bodies, by the kind of their socket.
  const std::shared_ptr<size_t> unix_bodies = std::make_shared<size_t>(0);
  const std::shared_ptr<size_t> tcp_bodies = std::make_shared<size_t>(0);
  bool filling = false;   // A source is being created or asked for bytes.
  bool draining = false;  // Connections close after their reply.
};

// Every public call may end in Close(), so the caller holds a reference.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Hub* hub, UniqueFd fd, Peer peer);

  void Start();
  // These answer the request that is being handled, and do nothing if the
  // connection is closed.
  void Reply(Response response);
  void ReplyError(int status, absl::string_view message);
  void Stream(const Response& head,
              absl::FunctionRef<std::unique_ptr<BodySource>(Waker)> make);
  void Wake();
  // Closes the connection now if no request is under way, else after its reply.
  void Drain();
  // Closes the connection at once; output that was not sent is lost.
  void Close();
  bool closed() const { return state_ == State::kClosed; }

 private:
  enum class State {
    kReading,    // Reads a request or waits for one.
    kHandling,   // Waits for the handler's answer.
    kWriting,    // Sends a reply.
    kStreaming,  // Sends the output of the source.
    kLingering,  // Has sent everything and drops further input.
    kClosed,
  };
  // The purpose of the timer.
  enum class Wait { kNothing, kHead, kBody, kIdle, kReply, kStream, kLinger };
  enum class Sent { kAll, kSome, kClosed };
  // The limit that counts the connection.
  enum class Room { kNone, kUnix, kTcp, kAnonymous };

  void OnReady(short events);
  void OnTime();
  void SetWait(Wait wait, absl::Duration delay);
  // Watches the events that the state needs. Called at the end of every call
  // from outside.
  void UpdateWatch();

  // Returns bytes in the hub's scratch buffer. They are empty if the connection
  // has closed or nothing has arrived.
  absl::string_view Receive();
  void Process(absl::string_view bytes);
  // Continues after a reply with the next request, which may be there already.
  void AwaitNext();
  void ProcessLeftover();
  void OnParsed();
  // Asks the gate about the request whose head is complete. Returns false if
  // the request was refused and has its reply.
  bool Admit();
  void Enter(Room room);
  void Dispatch();
  void AwaitRequest();
  void Fail(int status, absl::string_view message);

  bool HasOutput() const;
  Sent Send();
  void OnSent();
  void Pump();
  void StartLinger();
  void Drop(absl::string_view bytes);

  Hub* const hub_;
  const Peer peer_;
  UniqueFd fd_;
  std::unique_ptr<EventLoop::Watch> watch_;
  std::unique_ptr<EventLoop::Timer> timer_;
  State state_ = State::kReading;
  Wait wait_ = Wait::kNothing;

  RequestParser parser_;
  std::string leftover_;  // Bytes after the request that is being answered.
  bool processing_ = false;
  Room room_ = Room::kNone;
  // Position in the hub's anonymous list.
  std::list<Connection*>::iterator place_;
  bool admitted_ = false;  // The request that is being read passed the gate.
  bool served_ = false;    // A request was dispatched before.
  BodyCharge charge_;
  bool head_only_ = false;
  Persistence persistence_ = Persistence::kKeep;

  std::string out_head_;
  std::string out_body_;
  size_t sent_ = 0;  // Bytes sent of the head and the body together.
  size_t dropped_ = 0;

  std::unique_ptr<BodySource> source_;
  BodySource::State source_state_ = BodySource::State::kMore;
  bool wake_posted_ = false;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_CONNECTION_H_
