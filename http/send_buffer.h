// The bytes of an answer that a client has not taken yet.
#ifndef TROIKA_HTTP_SEND_BUFFER_H_
#define TROIKA_HTTP_SEND_BUFFER_H_

#include <cstddef>
#include <string>

namespace troika::http {

class SendBuffer {
 public:
  enum class Outcome {
    kSent,      // Everything; the buffer is empty.
    kProgress,  // A part. The socket takes no more now.
    kStalled,   // Nothing. The socket takes nothing now.
    kFailed,    // The client is gone.
  };

  // The head is sent before the body.
  std::string& head() { return head_; }
  std::string& body() { return body_; }
  bool empty() const { return head_.empty() && body_.empty(); }

  // Sends as much as the socket takes, without waiting.
  Outcome Send(int fd);

 private:
  std::string head_;
  std::string body_;
  size_t sent_ = 0;  // Bytes sent of the head and the body together.
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_SEND_BUFFER_H_
