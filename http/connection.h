// A client's connection: reads a request, has it answered, reads the next.
#ifndef TROIKA_HTTP_CONNECTION_H_
#define TROIKA_HTTP_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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
#include "http/rooms.h"
#include "http/send_buffer.h"
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
  Rooms rooms;
  size_t lingering = 0;  // Number of connections in State::kLingering.
  int64_t streams = 0;
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
  struct Deadline {
    Wait wait = Wait::kNothing;
    std::unique_ptr<EventLoop::Timer> timer;
  };
  struct StreamBody {
    std::unique_ptr<BodySource> source;
    BodySource::State state = BodySource::State::kMore;
    bool wake_posted = false;
  };
  // How the request that is being handled is answered.
  struct ReplyMode {
    bool head_only = false;
    Persistence persistence = Persistence::kKeep;
  };

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
  void Dispatch();
  void AwaitRequest();
  void Fail(int status, absl::string_view message);

  // Returns whether all output is sent.
  bool Send();
  // Sends the rest of a reply, and continues once it is sent.
  void SendReply();
  void Pump();
  void StartLinger();
  void Drop(absl::string_view bytes);

  Hub* const hub_;
  UniqueFd fd_;
  std::unique_ptr<EventLoop::Watch> watch_;
  Seat seat_;
  State state_ = State::kReading;
  Deadline deadline_;

  RequestParser parser_;
  std::string leftover_;  // Bytes after the request that is being answered.
  bool processing_ = false;
  // Set if the request that is being read has passed the gate.
  std::optional<BodyCharge> charge_;
  ReplyMode reply_;

  SendBuffer output_;
  StreamBody stream_;
  size_t dropped_ = 0;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_CONNECTION_H_
