#include "testing/model/server.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "http/listen.h"
#include "testing/model/log.h"
#include "testing/model/wire.h"

namespace troika::model {
namespace {

using Log = absl::AnyInvocable<void(absl::string_view)>;

constexpr absl::Duration kKeepAlive = absl::Seconds(1);

// Sends each step after its delay.
class StepSource : public http::BodySource {
 public:
  StepSource(EventLoop* loop, Output output, int answer, Log* log,
             http::Waker waker)
      : output_(std::move(output)),
        answer_(answer),
        log_(*log),
        timer_(loop->NewTimer([this, waker] {
          due_ = true;
          waker.Wake();
        })) {}

  ~StepSource() override {
    if (!ended_) log_(NoteLine("client left", answer_));
  }

  // Uses chunked encoding, so that the client can tell the end from a cut.
  State Fill(size_t room, std::string* out) override {
    std::string bytes;
    const State state = FillPlain(room, &bytes);
    if (!bytes.empty()) {
      absl::StrAppend(out, absl::Hex(bytes.size()), "\r\n", bytes, "\r\n");
    }
    if (state == State::kEnd) {
      ended_ = true;
      if (output_.end == Output::End::kGood) out->append("0\r\n\r\n");
    }
    return state;
  }

 private:
  State FillPlain(size_t room, std::string* out) {
    while (next_ < output_.steps.size()) {
      const Step& step = output_.steps[next_];
      if (step.wait > absl::ZeroDuration() && !due_) {
        timer_->SetIn(step.wait);
        return State::kWait;
      }
      due_ = false;
      out->append(step.bytes);
      ++next_;
      if (out->size() >= room) return State::kMore;
    }
    return output_.end == Output::End::kStall ? Stall(out) : State::kEnd;
  }

  State Stall(std::string* out) {
    if (!stalled_) {
      stalled_ = true;
      log_(NoteLine("stalled", answer_));
    } else if (due_) {
      out->append(output_.keep_alive);
    }
    due_ = false;
    if (!output_.keep_alive.empty()) timer_->SetIn(kKeepAlive);
    return State::kWait;
  }

  const Output output_;
  const int answer_;
  Log& log_;
  size_t next_ = 0;
  bool due_ = false;  // Whether the delay is over.
  bool stalled_ = false;
  bool ended_ = false;
  const std::unique_ptr<EventLoop::Timer> timer_;
};

}  // namespace

// A complete response that is delayed.
struct ModelServer::Delayed {
  std::unique_ptr<http::Exchange> exchange;
  http::Response response;
  std::unique_ptr<EventLoop::Timer> timer;
};

ModelServer::ModelServer(EventLoop* loop, Options options)
    : loop_(loop),
      options_(std::move(options)),
      player_(std::move(options_.player)) {}

ModelServer::~ModelServer() = default;

absl::StatusOr<std::unique_ptr<ModelServer>> ModelServer::Start(
    EventLoop* loop, Options options) {
  ASSIGN_OR_RETURN(UniqueFd socket, http::ListenTcp("127.0.0.1", options.port));
  auto server =
      std::unique_ptr<ModelServer>(new ModelServer(loop, std::move(options)));
  server->url_ =
      absl::StrCat("http://127.0.0.1:", http::BoundPort(socket.get()));
  ModelServer* const model = server.get();
  server->server_ = std::make_unique<http::Server>(
      loop, http::Limits(),
      [model](std::unique_ptr<http::Exchange> exchange) {
        model->Handle(std::move(exchange));
      },
      [](int status, absl::string_view reason) {
        return ErrorReply(Wire::kNone, status, reason);
      });
  server->server_->Listen(std::move(socket), http::Peer::Kind::kTcp);
  return server;
}

void ModelServer::Handle(std::unique_ptr<http::Exchange> exchange) {
  const http::Request& request = exchange->request();
  Player::Reaction reaction = player_.React(request);
  options_.log(
      RequestLine(request, reaction.wire, reaction.purpose, reaction.answer));
  if (!reaction.failure.empty()) options_.complain(reaction.failure);
  Send(std::move(exchange), reaction.answer.value_or(0),
       std::move(reaction.output));
}

void ModelServer::Send(std::unique_ptr<http::Exchange> exchange, int answer,
                       Output output) {
  if (!output.streams) {
    ReplyLater(std::move(exchange), std::move(output));
    return;
  }
  output.head.headers.emplace_back("Transfer-Encoding", "chunked");
  exchange->Stream(output.head, [&](http::Waker waker) {
    return std::make_unique<StepSource>(loop_, std::move(output), answer,
                                        &options_.log, std::move(waker));
  });
}

void ModelServer::ReplyLater(std::unique_ptr<http::Exchange> exchange,
                             Output output) {
  if (output.wait <= absl::ZeroDuration()) {
    exchange->Reply(std::move(output.head));
    return;
  }
  auto delayed = std::make_unique<Delayed>();
  Delayed* const it = delayed.get();
  it->exchange = std::move(exchange);
  it->response = std::move(output.head);
  it->timer = loop_->NewTimer([this, it] {
    it->exchange->Reply(std::move(it->response));
    delayed_.erase(
        std::find_if(delayed_.begin(), delayed_.end(),
                     [it](const auto& other) { return other.get() == it; }));
  });
  it->timer->SetIn(output.wait);
  delayed_.push_back(std::move(delayed));
}

}  // namespace troika::model
