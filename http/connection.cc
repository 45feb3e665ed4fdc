#include "http/connection.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace troika::http {

Connection::Connection(Hub* hub, UniqueFd fd, Peer peer)
    : hub_(hub),
      peer_(peer),
      fd_(std::move(fd)),
      parser_({.max_head_bytes = hub->limits.max_head_bytes,
               .max_target_bytes = hub->limits.max_target_bytes,
               .max_headers = hub->limits.max_headers,
               .max_body_bytes = hub->limits.max_body_bytes},
              peer) {
  if (peer.kind == Peer::Kind::kUnix) {
    Enter(Room::kUnix);
  } else {
    Enter(hub_->gate == nullptr ? Room::kTcp : Room::kAnonymous);
  }
}

void Connection::Enter(Room room) {
  const auto count = [this](Room counted, int by) {
    if (counted == Room::kUnix) hub_->unix_connections += by;
    if (counted == Room::kTcp) hub_->tcp_connections += by;
  };
  count(room_, -1);
  if (room_ == Room::kAnonymous) hub_->anonymous.erase(place_);
  room_ = room;
  count(room_, 1);
  if (room_ == Room::kAnonymous) {
    place_ = hub_->anonymous.insert(hub_->anonymous.end(), this);
  }
}

void Connection::Start() {
  watch_ = hub_->loop->WatchFd(fd_.get(), POLLIN,
                               [this](short events) { OnReady(events); });
  timer_ = hub_->loop->NewTimer([this] { OnTime(); });
  SetWait(Wait::kHead, room_ == Room::kAnonymous
                           ? hub_->limits.anonymous_deadline
                           : hub_->limits.head_deadline);
}

void Connection::Drain() {
  const std::shared_ptr<Connection> self = shared_from_this();
  if (state_ == State::kStreaming) return Close();
  persistence_ = Persistence::kClose;
  if (state_ != State::kReading || !leftover_.empty()) return;
  // An unread request may have arrived, and a client that has just connected
  // may be about to send one.
  Process(Receive());
  if (served_ && state_ == State::kReading &&
      parser_.state() == RequestParser::State::kIdle) {
    return Close();
  }
  UpdateWatch();
}

void Connection::Close() {
  if (closed()) return;
  const std::shared_ptr<Connection> self = shared_from_this();
  if (state_ == State::kStreaming) --hub_->streams;
  if (state_ == State::kLingering) --hub_->lingering;
  state_ = State::kClosed;
  Enter(Room::kNone);
  charge_.Set(0);
  watch_.reset();
  timer_.reset();
  fd_.Reset();
  hub_->connections.erase(this);
  // Last, because the source's destructor may do anything.
  const std::unique_ptr<BodySource> source = std::move(source_);
  hub_->on_progress();
}

void Connection::OnReady(short events) {
  const std::shared_ptr<Connection> self = shared_from_this();
  if (events == POLLOUT) {
    if (state_ == State::kStreaming) {
      Pump();
    } else if (state_ == State::kWriting) {
      OnSent();
    }
  } else if (state_ == State::kReading) {
    // Bytes that were received earlier are processed first.
    if (leftover_.empty()) Process(Receive());
  } else if (state_ == State::kStreaming || state_ == State::kLingering) {
    Drop(Receive());
  } else if (state_ == State::kHandling) {
    // Does not read ahead: the kernel holds the bytes until the answer is sent.
    watch_->SetEvents(0);
  }
  UpdateWatch();
}

void Connection::OnTime() {
  const std::shared_ptr<Connection> self = shared_from_this();
  switch (std::exchange(wait_, Wait::kNothing)) {
    case Wait::kNothing:
      return;
    case Wait::kHead:
      if (parser_.state() == RequestParser::State::kIdle) return Close();
      Fail(408, "the request's head took too long");
      break;
    case Wait::kBody:
      Fail(408, "the request's body took too long");
      break;
    case Wait::kIdle:
    case Wait::kReply:
    case Wait::kStream:
    case Wait::kLinger:
      return Close();
  }
  UpdateWatch();
}

// A wait that is over only clears wait_: a timer that fires for nothing is
// cheaper than cancelling one with every request.
void Connection::SetWait(Wait wait, absl::Duration delay) {
  wait_ = wait;
  timer_->SetIn(delay);
}

void Connection::UpdateWatch() {
  // The caller of Process() calls UpdateWatch() afterwards.
  if (closed() || processing_) return;
  short events = 0;
  switch (state_) {
    case State::kReading:
      events = leftover_.empty() ? POLLIN : 0;
      break;
    case State::kLingering:
      events = POLLIN;
      break;
    case State::kWriting:
      events = POLLOUT;
      break;
    case State::kStreaming:
      events = POLLIN;
      if (HasOutput() || source_state_ != BodySource::State::kWait) {
        events |= POLLOUT;
      }
      break;
    case State::kHandling:  // Unchanged: most answers come before input.
    case State::kClosed:
      return;
  }
  watch_->SetEvents(events);
}

absl::string_view Connection::Receive() {
  const ssize_t size =
      recv(fd_.get(), hub_->scratch.data(), hub_->scratch.size(), MSG_DONTWAIT);
  if (size > 0) return {hub_->scratch.data(), static_cast<size_t>(size)};
  if (size == 0 || (errno != EAGAIN && errno != EINTR)) Close();
  return {};
}

// Counts bytes that arrive after the request of a stream or on a connection
// that is over. Closes the connection if the client sends too many.
void Connection::Drop(absl::string_view bytes) {
  dropped_ += bytes.size();
  if (dropped_ > hub_->limits.max_body_bytes) Close();
}

void Connection::Process(absl::string_view bytes) {
  if (bytes.empty()) return;
  processing_ = true;
  // The state is kReading again after a reply that was written at once.
  while (state_ == State::kReading && !bytes.empty()) {
    bytes.remove_prefix(parser_.Feed(bytes));
    OnParsed();
  }
  processing_ = false;
  if (state_ == State::kReading) {
    AwaitRequest();
  } else if (state_ == State::kHandling || state_ == State::kWriting) {
    leftover_.assign(bytes.data(), bytes.size());
  }
}

void Connection::OnParsed() {
  const RequestParser::State parsed = parser_.state();
  if (parsed == RequestParser::State::kError) {
    return Fail(parser_.error().status, parser_.error().message);
  }
  const bool done = parsed == RequestParser::State::kDone;
  if (!done && parsed != RequestParser::State::kBody) return;
  if (!std::exchange(admitted_, true) && !Admit()) return;
  charge_.Set(parser_.body_bytes());
  if (charge_.total() > hub_->limits.max_bodies_bytes) {
    return Fail(503, "too many large requests at once; try again later");
  }
  if (done) Dispatch();
}

bool Connection::Admit() {
  charge_ = BodyCharge(peer_.kind == Peer::Kind::kUnix ? hub_->unix_bodies
                                                       : hub_->tcp_bodies);
  if (hub_->gate == nullptr) return true;
  Admission admission = hub_->gate(parser_.head());
  if (admission.level == Admission::Level::kRefused) {
    head_only_ = parser_.head().method == "HEAD";
    persistence_ = Persistence::kClose;
    state_ = State::kHandling;
    Reply(std::move(admission.refusal));
    return false;
  }
  if (room_ != Room::kAnonymous) return true;
  if (admission.level == Admission::Level::kAnonymous) {
    if (parser_.state() == RequestParser::State::kDone) return true;
    Fail(413, "this path takes no body");
    return false;
  }
  if (hub_->tcp_connections >= hub_->limits.max_tcp_connections) {
    Fail(503, "too many connections at once; close some of them");
    return false;
  }
  Enter(Room::kTcp);
  return true;
}

void Connection::ProcessLeftover() {
  if (state_ != State::kReading) return;
  const std::string bytes = std::exchange(leftover_, std::string());
  Process(bytes);
  UpdateWatch();
}

void Connection::AwaitNext() {
  // Process() continues with the next request by itself.
  if (processing_) return;
  if (leftover_.empty()) return AwaitRequest();
  // The caller may be within any callback, so no handler is called from here.
  hub_->loop->Post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->ProcessLeftover();
  });
}

void Connection::Dispatch() {
  admitted_ = false;
  served_ = true;
  Request request = parser_.Take();
  head_only_ = request.method == "HEAD";
  if (head_only_) request.method = "GET";
  if (parser_.after_reply() == RequestParser::AfterReply::kClose ||
      hub_->draining || room_ == Room::kAnonymous) {
    persistence_ = Persistence::kClose;
  } else {
    persistence_ =
        parser_.is_http10() ? Persistence::kKeepHttp10 : Persistence::kKeep;
  }
  state_ = State::kHandling;
  wait_ = Wait::kNothing;
  hub_->handler(std::make_unique<Exchange>(weak_from_this(), std::move(request),
                                           std::exchange(charge_, {})));
}

// Sets the deadline for the rest of the request, or for the next one.
void Connection::AwaitRequest() {
  switch (parser_.state()) {
    case RequestParser::State::kIdle:
      if (wait_ != Wait::kNothing) return;
      return SetWait(Wait::kIdle, hub_->limits.keep_alive);
    case RequestParser::State::kHead:
      if (wait_ == Wait::kHead) return;
      return SetWait(Wait::kHead, hub_->limits.head_deadline);
    default:
      break;
  }
  if (wait_ == Wait::kBody) return;
  SetWait(Wait::kBody, hub_->limits.body_deadline);
  if (!parser_.wants_continue()) return;
  constexpr absl::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  // The socket has room because nothing else is being sent. If it has none, the
  // client continues by itself after a while.
  if (send(fd_.get(), kContinue.data(), kContinue.size(),
           MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
      errno != EAGAIN) {
    Close();
  }
}

void Connection::Fail(int status, absl::string_view message) {
  // The bytes that follow can't be understood, and the body is not kept.
  parser_.Take();
  charge_.Set(0);
  head_only_ = false;
  persistence_ = Persistence::kClose;
  state_ = State::kHandling;
  ReplyError(status, message);
}

}  // namespace troika::http
