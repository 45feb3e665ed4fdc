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
    // The line without its end, "\n" or "\r\n"; only its start if the line is
    // over the limit.
    absl::string_view bytes;
    int64_t offset = 0;  // Offset of the line in the stream.
    int64_t size = 0;    // Length of the whole line, without its end.
  };
  using LineSink = absl::FunctionRef<void(const Line&)>;

  // Keeps only the first `kept_bytes` of lines longer than `max_bytes`.
  explicit LineSplitter(int64_t max_bytes, int64_t kept_bytes = 256)
      : max_bytes_(max_bytes), kept_bytes_(kept_bytes) {}

  // A line is valid only during the call of `sink`.
  void Feed(absl::string_view chunk, LineSink sink);
  // Ends the stream and delivers the text after the last end-of-line, if any.
  void Finish(LineSink sink);

 private:
  void Keep(absl::string_view part);
  void Deliver(absl::string_view bytes, int64_t size, LineSink sink);
  void DeliverPending(LineSink sink);

  const int64_t max_bytes_;
  const int64_t kept_bytes_;
  std::string pending_;  // The start of an unfinished line.
  int64_t pending_size_ = 0;
  bool pending_ends_in_cr_ = false;
  int64_t offset_ = 0;  // Offset of the current line.
};

}  // namespace troika

#endif  // TROIKA_BASE_LINE_SPLITTER_H_
