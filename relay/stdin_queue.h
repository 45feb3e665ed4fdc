// What waits to be written to the agent's stdin.
#ifndef TROIKA_RELAY_STDIN_QUEUE_H_
#define TROIKA_RELAY_STDIN_QUEUE_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika::relay {

class StdinQueue {
 public:
  // A pipe's end that does not block, or nothing where the agent has no stdin.
  explicit StdinQueue(UniqueFd pipe) : pipe_(std::move(pipe)) {}

  // Whether the agent can still be written to.
  bool open() const { return pipe_.ok() && !closing_; }
  size_t size() const { return bytes_.size() - written_; }
  // To be polled for POLLOUT; -1 where nothing waits.
  int poll_fd() const;
  // To be polled for the reader's end while nothing waits.
  int fd() const { return pipe_.get(); }

  void Push(absl::string_view bytes) {
    bytes_.append(bytes.data(), bytes.size());
  }
  // The end, after what waits.
  void Close();
  // Writes what the pipe takes. Returns the bytes that are lost, as the agent
  // has closed its stdin.
  size_t Write();
  // The agent is gone; what waited is lost.
  size_t Drop();

 private:
  UniqueFd pipe_;
  std::string bytes_;
  size_t written_ = 0;
  bool closing_ = false;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_STDIN_QUEUE_H_
