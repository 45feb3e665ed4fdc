// Cuts a stream of bytes into lines, in bounded memory.
#ifndef TROIKA_BASE_LINE_SPLITTER_H_
#define TROIKA_BASE_LINE_SPLITTER_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace troika {

class LineSplitter {
 public:
  struct Line {
    // Without its end, "\n" or "\r\n". Of a line over the limit, only the
    // start.
    absl::string_view bytes;
    int64_t offset = 0;  // Where it begins in the stream.
    int64_t size = 0;    // Its whole length, without its end.
  };
  using LineSink = absl::FunctionRef<void(const Line&)>;

  // Of lines longer than `max_bytes` the first kept_bytes are kept.
  explicit LineSplitter(int64_t max_bytes, int64_t kept_bytes = 256)
      : max_bytes_(max_bytes), kept_bytes_(kept_bytes) {}

  // The line is valid during the call only.
  void Feed(absl::string_view chunk, LineSink sink);
  // The stream is over: what stands after the last end-of-line, if anything.
  void Finish(LineSink sink);

 private:
  void Keep(absl::string_view part);
  void Deliver(absl::string_view bytes, int64_t size, LineSink sink);
  void DeliverPending(LineSink sink);

  const int64_t max_bytes_;
  const int64_t kept_bytes_;
  std::string pending_;  // The start of a line whose end has not come.
  int64_t pending_size_ = 0;
  bool pending_ends_in_cr_ = false;
  int64_t offset_ = 0;  // Where the current line begins.
};

}  // namespace troika

#endif  // TROIKA_BASE_LINE_SPLITTER_H_
