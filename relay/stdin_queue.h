// Queues bytes for the agent's stdin.
#ifndef TROIKA_RELAY_STDIN_QUEUE_H_
#define TROIKA_RELAY_STDIN_QUEUE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "base/fd.h"
#include "relay/spec.h"

namespace troika::relay {

class StdinQueue {
 public:
  explicit StdinQueue(StdinMode mode) : open_(mode == StdinMode::kPipe) {}

  // Bytes are written to `pipe`, which becomes nonblocking. It may be unset if
  // the agent has no stdin.
  void SetPipe(UniqueFd pipe);

  // Whether bytes can still be written to the agent.
  bool open() const { return open_; }
  size_t size() const { return bytes_.size() - written_; }
  // Descriptor to poll for POLLOUT, or -1 if the queue is empty.
  int poll_fd() const;

  void Push(absl::string_view bytes) {
    bytes_.append(bytes.data(), bytes.size());
  }
  // Closes stdin once the queue is written.
  void Close();
  // Writes as much as the pipe takes. Returns the number of bytes that are lost
  // because the agent has closed its stdin.
  size_t Write();
  // Called when the agent is gone. Returns the number of lost bytes.
  size_t Drop();

 private:
  UniqueFd pipe_;
  std::string bytes_;
  size_t written_ = 0;
  bool open_;  // Neither closed nor to be closed once the queue is written.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_STDIN_QUEUE_H_
