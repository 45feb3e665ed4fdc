// Records a stream of bytes as lines. If the log's version has batches, short
// lines that come together are written as one, so that a flood of them costs
// little more than its bytes.
#ifndef TROIKA_RELAY_LINE_RECORDER_H_
#define TROIKA_RELAY_LINE_RECORDER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "relay/log_writer.h"
#include "relay/record.h"

namespace troika::relay {

class LineRecorder {
 public:
  LineRecorder(Stream stream, LogWriter* log) : stream_(stream), log_(log) {}

  // Appends every line that `bytes` completes. The start of an unfinished line
  // is kept until its end comes, but never grows beyond a record's payload.
  void Feed(absl::string_view bytes);
  // Appends the unfinished line as a record that is continued later.
  void FlushPart();
  // Ends the stream: appends the unfinished line, without an end-of-line.
  void Finish();

  // Whether the end of a line is awaited.
  bool waiting() const { return !part_.empty() || continued_; }

 private:
  void Append(absl::string_view bytes, LineEnd end);
  // Appends whole lines, each with its end-of-line.
  void AppendLines(absl::string_view lines);
  // Adds to the unfinished line, and appends it once it fills a record.
  void Keep(absl::string_view bytes);

  const Stream stream_;
  LogWriter* const log_;
  std::string part_;
  bool continued_ = false;  // An earlier record holds the start of the line.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LINE_RECORDER_H_
