// What the server sends to an MCP client over HTTP.
#ifndef TROIKA_SERVER_MCP_REPLY_H_
#define TROIKA_SERVER_MCP_REPLY_H_

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "http/server.h"
#include "server/call.h"
#include "server/viewers.h"

namespace troika {

// Lines that are sent as a stream of server-sent events. Shared by the sender
// and the connection. Loop thread only.
class LineStream {
 public:
  // Drops the line if the client is gone. One that has not read for too long is
  // taken as gone.
  void Send(absl::string_view line);
  // Ends the stream after what was sent.
  void End();
  // Whether the connection was closed.
  bool gone() const { return gone_; }
  // `on_gone` is called when the client is gone, not after End().
  void SetOnGone(absl::AnyInvocable<void()> on_gone) {
    on_gone_ = std::move(on_gone);
  }

 private:
  friend class LineView;

  void OnGone();

  std::string pending_;
  http::Waker waker_;
  bool ended_ = false;
  bool gone_ = false;
  absl::AnyInvocable<void()> on_gone_;
};

// The body of such a stream. `viewers` sends the heartbeats.
Reply::StreamMaker StreamOf(std::shared_ptr<LineStream> lines,
                            std::shared_ptr<Viewers> viewers);

// The reply to one message: JSON if the result comes first, or a stream if
// something is to be sent before it. Loop thread only.
class McpReply {
 public:
  enum class Form { kJsonOnly, kJsonOrStream };
  McpReply(Form form, std::shared_ptr<Viewers> viewers)
      : form_(form), viewers_(std::move(viewers)) {}
  ~McpReply() { Close(); }
  McpReply(const McpReply&) = delete;
  McpReply& operator=(const McpReply&) = delete;

  // Sends what was finished before, or waits for it.
  void Start(ReplyCallback reply);
  // Sends a line before the result. False if the client takes no stream.
  bool Send(absl::string_view line);
  // Begins the stream, so that it is noticed if the client leaves.
  void BeginStream();
  // Sends the line of the result.
  void Finish(absl::string_view line, int http_status = 200,
              http::Headers headers = {});
  // Ends without a result.
  void Close();

  bool finished() const { return finished_; }
  void SetOnGone(absl::AnyInvocable<void()> on_gone) {
    on_gone_ = std::move(on_gone);
  }

 private:
  void ReplyWith(Reply reply);

  const Form form_;
  const std::shared_ptr<Viewers> viewers_;
  ReplyCallback reply_;  // Null before Start() and once it was called.
  bool started_ = false;
  bool finished_ = false;
  std::shared_ptr<LineStream> stream_;
  std::unique_ptr<Reply> early_;  // Finished before Start().
  absl::AnyInvocable<void()> on_gone_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_REPLY_H_
