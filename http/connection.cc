#include "http/connection.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace troika::http {
namespace {

constexpr size_t kStreamRoom = size_t{64} << 10;
// After so many calls of Fill(), other connections get their turn.
constexpr int kFillsAtOnce = 16;

}  // namespace

Connection::Connection(Hub* hub, UniqueFd fd, Peer peer)
    : hub_(hub),
      fd_(std::move(fd)),
      seat_(&hub->rooms, this),
      parser_({.max_head_bytes = hub->limits.max_head_bytes,
               .max_target_bytes = hub->limits.max_target_bytes,
               .max_headers = hub->limits.max_headers,
               .max_body_bytes = hub->limits.max_body_bytes},
              peer) {
  if (peer.kind == Peer::Kind::kUnix) {
    seat_.Enter(Seat::Room::kUnix);
  } else {
    seat_.Enter(hub_->gate == nullptr ? Seat::Room::kTcp
                                      : Seat::Room::kAnonymous);
  }
}

void Connection::Start() {
  watch_ = hub_->loop->WatchFd(fd_.get(), POLLIN,
                               [this](short events) { OnReady(events); });
  deadline_.timer = hub_->loop->NewTimer([this] { OnTime(); });
  SetWait(Wait::kHead, seat_.room() == Seat::Room::kAnonymous
                           ? hub_->limits.anonymous_deadline
                           : hub_->limits.head_deadline);
}

void Connection::Drain() {
  const std::shared_ptr<Connection> self = shared_from_this();
  if (state_ == State::kStreaming) return Close();
  reply_.persistence = Persistence::kClose;
  if (state_ != State::kReading || !leftover_.empty()) return;
  // An unread request may have arrived.
  Process(Receive());
  // A client that has just connected may be about to send one; it is not idle.
  if (state_ == State::kReading && deadline_.wait == Wait::kIdle) {
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
  seat_.Enter(Seat::Room::kNone);
  charge_.reset();
  watch_.reset();
  deadline_.timer.reset();
  fd_.Reset();
  hub_->connections.erase(this);
  // Last, because the source's destructor may do anything.
  const std::unique_ptr<BodySource> source = std::move(stream_.source);
  hub_->on_progress();
}

void Connection::OnReady(short events) {
  const std::shared_ptr<Connection> self = shared_from_this();
  if (events == POLLOUT) {
    if (state_ == State::kStreaming) {
      Pump();
    } else if (state_ == State::kWriting) {
      SendReply();
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
  switch (std::exchange(deadline_.wait, Wait::kNothing)) {
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

// A wait that is over is only cleared: a timer that fires for nothing is
// cheaper than cancelling one with every request.
void Connection::SetWait(Wait wait, absl::Duration delay) {
  deadline_.wait = wait;
  deadline_.timer->SetIn(delay);
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
      if (!output_.empty() || stream_.state != BodySource::State::kWait) {
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
  if (!charge_ && !Admit()) return;
  charge_->Set(parser_.body_bytes());
  if (charge_->total() > hub_->limits.max_bodies_bytes) {
    return Fail(503, "too many large requests at once; try again later");
  }
  if (done) Dispatch();
}

bool Connection::Admit() {
  charge_ = hub_->rooms.NewCharge(parser_.head().peer.kind);
  if (hub_->gate == nullptr) return true;
  Admission admission = hub_->gate(parser_.head());
  if (admission.level == Admission::Level::kRefused) {
    reply_ = {parser_.head().method == "HEAD", Persistence::kClose};
    state_ = State::kHandling;
    Reply(std::move(admission.refusal));
    return false;
  }
  if (seat_.room() != Seat::Room::kAnonymous) return true;
  if (admission.level == Admission::Level::kAnonymous) {
    if (parser_.state() == RequestParser::State::kDone) return true;
    Fail(413, "this path takes no body");
    return false;
  }
  if (hub_->rooms.tcp_connections >= hub_->limits.max_tcp_connections) {
    Fail(503, "too many connections at once; close some of them");
    return false;
  }
  seat_.Enter(Seat::Room::kTcp);
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
  Request request = parser_.Take();
  reply_.head_only = request.method == "HEAD";
  if (reply_.head_only) request.method = "GET";
  if (parser_.after_reply() == RequestParser::AfterReply::kClose ||
      hub_->draining || seat_.room() == Seat::Room::kAnonymous) {
    reply_.persistence = Persistence::kClose;
  } else {
    reply_.persistence =
        parser_.is_http10() ? Persistence::kKeepHttp10 : Persistence::kKeep;
  }
  state_ = State::kHandling;
  deadline_.wait = Wait::kNothing;
  BodyCharge charge = *std::exchange(charge_, std::nullopt);
  hub_->handler(std::make_unique<Exchange>(weak_from_this(), std::move(request),
                                           std::move(charge)));
}

// Sets the deadline for the rest of the request, or for the next one.
void Connection::AwaitRequest() {
  switch (parser_.state()) {
    case RequestParser::State::kIdle:
      if (deadline_.wait != Wait::kNothing) return;
      return SetWait(Wait::kIdle, hub_->limits.keep_alive);
    case RequestParser::State::kHead:
      if (deadline_.wait == Wait::kHead) return;
      return SetWait(Wait::kHead, hub_->limits.head_deadline);
    default:
      break;
  }
  if (deadline_.wait == Wait::kBody) return;
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
  charge_.reset();
  reply_ = {.persistence = Persistence::kClose};
  state_ = State::kHandling;
  ReplyError(status, message);
}

bool Connection::Send() {
  const bool stalled = deadline_.wait != Wait::kNothing;
  const SendBuffer::Outcome outcome = output_.Send(fd_.get());
  switch (outcome) {
    case SendBuffer::Outcome::kSent:
      deadline_.wait = Wait::kNothing;
      return true;
    case SendBuffer::Outcome::kFailed:
      Close();
      return false;
    case SendBuffer::Outcome::kStalled:
      // The deadline of the last progress stays.
      if (stalled) return false;
      break;
    case SendBuffer::Outcome::kProgress:
      break;
  }
  if (state_ == State::kStreaming) {
    SetWait(Wait::kStream, hub_->limits.stream_stall);
  } else {
    SetWait(Wait::kReply, hub_->limits.reply_stall);
  }
  return false;
}

void Connection::ReplyError(int status, absl::string_view message) {
  if (state_ != State::kHandling) return;
  Response response = hub_->error_body(status, message);
  response.status = status;
  Reply(std::move(response));
}

void Connection::Reply(Response response) {
  if (state_ != State::kHandling) return;
  output_.head() = ResponseHead(response, Framing::kLength, reply_.persistence);
  if (!reply_.head_only && HasBody(response.status)) {
    output_.body() = std::move(response.body);
  }
  state_ = State::kWriting;
  deadline_.wait = Wait::kNothing;
  SendReply();
  UpdateWatch();
}

void Connection::SendReply() {
  if (!Send()) return;
  if (reply_.persistence == Persistence::kClose) return StartLinger();
  state_ = State::kReading;
  AwaitNext();
}

void Connection::StartLinger() {
  if (state_ == State::kStreaming) --hub_->streams;
  state_ = State::kLingering;
  ++hub_->lingering;
  leftover_.clear();
  dropped_ = 0;
  shutdown(fd_.get(), SHUT_WR);
  SetWait(Wait::kLinger, hub_->limits.linger);
  // Last, because the source's destructor may do anything.
  const std::unique_ptr<BodySource> source = std::move(stream_.source);
  hub_->on_progress();
}

void Connection::Stream(
    const Response& head,
    absl::FunctionRef<std::unique_ptr<BodySource>(Waker)> make) {
  if (state_ != State::kHandling) return;
  reply_.persistence = Persistence::kClose;
  output_.head() =
      ResponseHead(head, Framing::kUntilClosed, reply_.persistence);
  if (reply_.head_only) {
    state_ = State::kWriting;
    SendReply();
    return UpdateWatch();
  }
  state_ = State::kStreaming;
  ++hub_->streams;
  {
    // A source that calls its waker while it is created is asked anyway.
    const bool before = std::exchange(hub_->filling, true);
    stream_.source = make(Waker(weak_from_this()));
    hub_->filling = before;
  }
  if (stream_.source == nullptr) stream_.state = BodySource::State::kEnd;
  Pump();
  UpdateWatch();
}

void Connection::Wake() {
  if (state_ != State::kStreaming) return;
  if (hub_->filling) {
    // Sources that wake each other must neither nest nor loop forever.
    if (std::exchange(stream_.wake_posted, true)) return;
    hub_->loop->Post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->stream_.wake_posted = false;
        self->Wake();
      }
    });
    return;
  }
  if (stream_.state == BodySource::State::kEnd) return;
  stream_.state = BodySource::State::kMore;
  if (!output_.empty()) return;  // Continues when the client has read.
  Pump();
  UpdateWatch();
}

void Connection::Pump() {
  for (int i = 0; i < kFillsAtOnce; ++i) {
    if (stream_.state == BodySource::State::kMore && output_.body().empty()) {
      // If a stream is started within the Fill() of another, UpdateWatch()
      // makes the loop call Pump() again.
      if (hub_->filling) return;
      hub_->filling = true;
      stream_.state = stream_.source->Fill(kStreamRoom, &output_.body());
      hub_->filling = false;
      if (state_ != State::kStreaming) return;
    }
    if (!Send()) return;
    if (stream_.state == BodySource::State::kEnd) return StartLinger();
    if (stream_.state == BodySource::State::kWait) return;
  }
}

}  // namespace troika::http
