// Parses requests of HTTP/1.1 and 1.0, strictly and without I/O.
//
// Refuses input that two parsers may understand differently: folded headers,
// bare CR or LF, a space before a colon, a length beside a transfer coding,
// several lengths or hosts that differ.
//
//   RequestParser parser({});
//   while (!bytes.empty() && parser.state() != RequestParser::State::kError) {
//     bytes.remove_prefix(parser.Feed(bytes));
//     if (parser.state() == RequestParser::State::kDone) Serve(parser.Take());
//   }
//
// Feed() stops at the end of the head, so that the caller can refuse the
// request before any byte of its body is kept.
#ifndef TROIKA_HTTP_REQUEST_PARSER_H_
#define TROIKA_HTTP_REQUEST_PARSER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "http/message.h"

namespace troika::http {

class RequestParser {
 public:
  struct Limits {
    size_t max_head_bytes = size_t{32} << 10;
    size_t max_target_bytes = size_t{8} << 10;
    size_t max_headers = 100;
    size_t max_body_bytes = size_t{24} << 20;
  };
  enum class State {
    kIdle,   // No byte of a request has come.
    kHead,   // The head is incomplete.
    kBody,   // The head is complete, the body is not.
    kDone,   // The request is complete: call Take().
    kError,  // The input is invalid; this state is final.
  };
  struct Error {
    int status = 400;
    std::string message;
  };
  enum class AfterReply { kKeepAlive, kClose };

  // `peer` is copied into every request.
  explicit RequestParser(const Limits& limits, const Peer& peer = {})
      : limits_(limits), peer_(peer) {
    request_.peer = peer;
  }

  // Consumes bytes up to the end of a head or of a request, and returns their
  // count. Consumes none in kDone and kError.
  size_t Feed(absl::string_view bytes);
  State state() const { return state_; }
  const Error& error() const { return error_; }

  // Returns the completed request and resets the parser to kIdle.
  Request Take();
  // The request without its body. Valid in kBody and kDone.
  const Request& head() const { return request_; }

  // Whether the client waits for "100 Continue" before it sends the body.
  bool wants_continue() const {
    return state_ == State::kBody && expects_continue_;
  }
  // Valid from the end of a head until the next request begins.
  AfterReply after_reply() const { return after_reply_; }
  bool is_http10() const { return is_http10_; }
  size_t body_bytes() const { return request_.body.size(); }

 private:
  // The next part of the request, in kHead and kBody.
  enum class Part {
    kRequestLine,
    kHeaderLine,
    kFixedBody,
    kChunkLine,
    kChunkData,
    kChunkEnd,
    kTrailerLine,
  };

  void Fail(int status, absl::string_view message);
  size_t FeedLine(absl::string_view bytes);
  size_t LineLimit() const;
  void LineTooLong();
  size_t FeedBody(absl::string_view bytes);

  void OnLine(absl::string_view line);
  void OnRequestLine(absl::string_view line);
  void SetTarget(absl::string_view target);
  void OnHeaderLine(absl::string_view line);
  void OnHeadEnd();
  bool CheckHost();
  bool ReadLength();
  bool ReadTransferCoding();
  void ReadConnection();
  void OnChunkLine(absl::string_view line);

  const Limits limits_;
  const Peer peer_;
  State state_ = State::kIdle;
  Error error_;
  Request request_;
  AfterReply after_reply_ = AfterReply::kKeepAlive;
  bool is_http10_ = false;
  bool expects_continue_ = false;

  Part part_ = Part::kRequestLine;
  std::string line_;        // The start of an unfinished line.
  size_t line_bytes_ = 0;   // Bytes of the head's lines, or of the trailer's.
  uint64_t body_left_ = 0;  // Bytes left of the body or the chunk.
  std::optional<std::string> target_host_;  // Host that the target names.
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_REQUEST_PARSER_H_
