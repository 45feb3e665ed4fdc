// Records a stream of bytes as lines. Short lines that come at once are one
// batch where the log's version has batches, so that a flood of them costs
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

  // Appends every line that `bytes` ends. The start of another one waits for
  // its end, but never grows beyond a record's payload.
  void Feed(absl::string_view bytes);
  // Appends what waits, to be continued.
  void FlushPart();
  // The stream ended: appends what waits, without an end-of-line.
  void Finish();

  bool waiting() const { return !part_.empty(); }

 private:
  void Append(absl::string_view bytes, LineEnd end);
  // Appends whole lines, each with its end-of-line.
  void AppendLines(absl::string_view lines);
  // Adds to what waits, and appends it where that is a record's worth.
  void Keep(absl::string_view bytes);

  const Stream stream_;
  LogWriter* const log_;
  std::string part_;
  bool continued_ = false;  // The line has begun in a record before.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LINE_RECORDER_H_
