#include "relay/line_recorder.h"

#include "relay/log_format.h"

namespace troika::relay {

void LineRecorder::Append(absl::string_view bytes, LineEnd end) {
  log_->Append({.stream = stream_, .end = end, .payload = bytes});
  continued_ = end == LineEnd::kContinued;
}

void LineRecorder::Keep(absl::string_view bytes) {
  part_.append(bytes.data(), bytes.size());
  if (part_.size() >= kMaxPayload) FlushPart();
}

void LineRecorder::Feed(absl::string_view bytes) {
  size_t newline = bytes.find('\n');
  while (newline != absl::string_view::npos) {
    const absl::string_view line = bytes.substr(0, newline);
    if (part_.empty()) {
      Append(line, LineEnd::kNewline);
    } else {
      part_.append(line.data(), line.size());
      Append(part_, LineEnd::kNewline);
      part_.clear();
    }
    bytes.remove_prefix(newline + 1);
    newline = bytes.find('\n');
  }
  if (!bytes.empty()) Keep(bytes);
}

void LineRecorder::FlushPart() {
  if (part_.empty()) return;
  Append(part_, LineEnd::kContinued);
  part_.clear();
}

void LineRecorder::Finish() {
  // A line that was continued has an end even where nothing more came.
  if (part_.empty() && !continued_) return;
  Append(part_, LineEnd::kNone);
  part_.clear();
}

}  // namespace troika::relay
