// The sending half of Connection: replies and streams.
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "http/connection.h"

namespace troika::http {
namespace {

constexpr size_t kStreamRoom = size_t{64} << 10;
// After so many calls of Fill(), other connections get their turn.
constexpr int kFillsAtOnce = 16;

iovec IovecOf(const std::string& text, size_t offset) {
  return {const_cast<char*>(text.data()) + offset, text.size() - offset};
}

// Clears the string and frees its memory if that is large, because most
// connections are idle most of the time.
void Clear(std::string* text) {
  if (text->capacity() > 1024) {
    *text = std::string();
  } else {
    text->clear();
  }
}

}  // namespace

bool Connection::HasOutput() const {
  return !out_head_.empty() || !out_body_.empty();
}

Connection::Sent Connection::Send() {
  const size_t total = out_head_.size() + out_body_.size();
  bool progress = wait_ == Wait::kNothing;
  while (sent_ < total) {
    iovec parts[2];
    msghdr message = {};
    message.msg_iov = parts;
    if (sent_ < out_head_.size()) {
      parts[message.msg_iovlen++] = IovecOf(out_head_, sent_);
    }
    if (!out_body_.empty()) {
      const size_t head = out_head_.size();
      parts[message.msg_iovlen++] =
          IovecOf(out_body_, sent_ > head ? sent_ - head : 0);
    }
    const ssize_t size =
        sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size >= 0) {
      sent_ += static_cast<size_t>(size);
      progress = true;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      Close();
      return Sent::kClosed;
    }
    if (progress && state_ == State::kStreaming) {
      SetWait(Wait::kStream, hub_->limits.stream_stall);
    } else if (progress) {
      SetWait(Wait::kReply, hub_->limits.reply_stall);
    }
    return Sent::kSome;
  }
  Clear(&out_head_);
  Clear(&out_body_);
  sent_ = 0;
  wait_ = Wait::kNothing;
  return Sent::kAll;
}

void Connection::ReplyError(int status, absl::string_view message) {
  if (state_ != State::kHandling) return;
  Response response = hub_->error_body(status, message);
  response.status = status;
  Reply(std::move(response));
}

void Connection::Reply(Response response) {
  if (state_ != State::kHandling) return;
  out_head_ = ResponseHead(response, Framing::kLength, persistence_);
  if (!head_only_ && HasBody(response.status)) {
    out_body_ = std::move(response.body);
  }
  state_ = State::kWriting;
  wait_ = Wait::kNothing;
  OnSent();
  UpdateWatch();
}

// Sends the rest of a reply, and continues once it is sent.
void Connection::OnSent() {
  if (Send() != Sent::kAll) return;
  if (persistence_ == Persistence::kClose) return StartLinger();
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
  const std::unique_ptr<BodySource> source = std::move(source_);
  hub_->on_progress();
}

void Connection::Stream(
    const Response& head,
    absl::FunctionRef<std::unique_ptr<BodySource>(Waker)> make) {
  if (state_ != State::kHandling) return;
  persistence_ = Persistence::kClose;
  out_head_ = ResponseHead(head, Framing::kUntilClosed, persistence_);
  if (head_only_) {
    state_ = State::kWriting;
    OnSent();
    return UpdateWatch();
  }
  state_ = State::kStreaming;
  ++hub_->streams;
  {
    // A source that calls its waker while it is created is asked anyway.
    const bool before = std::exchange(hub_->filling, true);
    source_ = make(Waker(weak_from_this()));
    hub_->filling = before;
  }
  source_state_ =
      source_ == nullptr ? BodySource::State::kEnd : BodySource::State::kMore;
  Pump();
  UpdateWatch();
}

void Connection::Wake() {
  if (state_ != State::kStreaming) return;
  if (hub_->filling) {
    // Sources that wake each other must neither nest nor loop forever.
    if (std::exchange(wake_posted_, true)) return;
    hub_->loop->Post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->wake_posted_ = false;
        self->Wake();
      }
    });
    return;
  }
  if (source_state_ == BodySource::State::kEnd) return;
  source_state_ = BodySource::State::kMore;
  if (HasOutput()) return;  // Continues when the client has read.
  Pump();
  UpdateWatch();
}

void Connection::Pump() {
  for (int i = 0; i < kFillsAtOnce; ++i) {
    if (source_state_ == BodySource::State::kMore && out_body_.empty()) {
      // If a stream is started within the Fill() of another, UpdateWatch()
      // makes the loop call Pump() again.
      if (hub_->filling) return;
      hub_->filling = true;
      source_state_ = source_->Fill(kStreamRoom, &out_body_);
      hub_->filling = false;
      if (state_ != State::kStreaming) return;
    }
    if (Send() != Sent::kAll) return;
    if (source_state_ == BodySource::State::kEnd) return StartLinger();
    if (source_state_ == BodySource::State::kWait) return;
  }
}

}  // namespace troika::http
