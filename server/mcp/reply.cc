#include "server/mcp/reply.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troika {
namespace {

// Bytes that a client may leave unread.
constexpr size_t kMaxPending = size_t{16} << 20;

}  // namespace

// Copies the lines to one connection.
class LineView final : public Viewer {
 public:
  LineView(std::shared_ptr<LineStream> lines, std::shared_ptr<Viewers> viewers,
           const http::Waker& waker)
      : Viewer(std::move(viewers), waker), lines_(std::move(lines)) {
    lines_->waker_ = waker;
  }
  ~LineView() override {
    if (!lines_->ended_) lines_->OnGone();
    lines_->gone_ = true;
  }

 private:
  State FillNews(size_t /*room*/, std::string* out) override {
    out->append(std::exchange(lines_->pending_, {}));
    return lines_->ended_ ? State::kEnd : State::kWait;
  }

  const std::shared_ptr<LineStream> lines_;
};

void LineStream::Send(absl::string_view line) {
  if (gone_ || ended_) return;
  if (pending_.size() + line.size() > kMaxPending) {
    pending_.clear();
    End();
    return OnGone();
  }
  absl::StrAppend(&pending_,
                  "event: message\ndata: ", absl::StripSuffix(line, "\n"),
                  "\n\n");
  waker_.Wake();
}

void LineStream::OnGone() {
  gone_ = true;
  if (on_gone_) std::exchange(on_gone_, nullptr)();
}

void LineStream::End() {
  ended_ = true;
  waker_.Wake();
}

Reply::StreamMaker StreamOf(std::shared_ptr<LineStream> lines,
                            std::shared_ptr<Viewers> viewers) {
  return [lines = std::move(lines),
          viewers = std::move(viewers)](const http::Waker& waker) {
    return std::make_unique<LineView>(lines, viewers, waker);
  };
}

void McpReply::Start(ReplyCallback reply) {
  started_ = true;
  reply_ = std::move(reply);
  if (early_) ReplyWith(std::move(*std::exchange(early_, nullptr)));
}

void McpReply::ReplyWith(Reply reply) {
  if (!started_) {
    early_ = std::make_unique<Reply>(std::move(reply));
  } else if (reply_) {
    std::exchange(reply_, nullptr)(std::move(reply));
  }
}

void McpReply::BeginStream() {
  if (stream_ || finished_ || form_ == Form::kJsonOnly) return;
  stream_ = std::make_shared<LineStream>();
  stream_->SetOnGone([this] {
    finished_ = true;
    if (on_gone_) std::exchange(on_gone_, nullptr)();
  });
  ReplyWith(Reply(StreamOf(stream_, viewers_)));
}

bool McpReply::Send(absl::string_view line) {
  BeginStream();
  if (!stream_) return false;
  stream_->Send(line);
  return true;
}

void McpReply::Finish(absl::string_view line, int http_status,
                      http::Headers headers) {
  if (std::exchange(finished_, true)) return;
  on_gone_ = nullptr;
  if (stream_) {
    stream_->SetOnGone(nullptr);
    stream_->Send(line);
    return stream_->End();
  }
  Reply reply = Reply::Json(std::string(absl::StripSuffix(line, "\n")));
  reply.status = http_status;
  reply.headers = std::move(headers);
  ReplyWith(std::move(reply));
}

void McpReply::Close() {
  if (std::exchange(finished_, true)) return;
  on_gone_ = nullptr;
  if (stream_) {
    stream_->SetOnGone(nullptr);
    return stream_->End();
  }
  Reply reply;
  reply.status = 202;
  ReplyWith(std::move(reply));
}

}  // namespace troika
