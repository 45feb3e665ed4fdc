#include "relay/line_recorder.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "relay/log_format.h"

namespace troika::relay {
namespace {

// Longer lines have records of their own: a batch would save little, and a
// damaged byte in it would cost all its lines.
constexpr size_t kMaxBatchedLine = 256;
// Size of a batch in the log, without its head. No more than this is lost if a
// batch is torn or damaged.
constexpr size_t kMaxBatch = size_t{16} << 10;
constexpr int64_t kMinBatchLines = 2;

struct Batch {
  size_t bytes = 0;
  int64_t count = 0;
};

// Returns the lines at the start of `lines` that fit into one batch.
Batch LeadingBatch(absl::string_view lines) {
  Batch batch;
  while (batch.bytes < lines.size()) {
    const size_t size = lines.find('\n', batch.bytes) + 1 - batch.bytes;
    const size_t in_log =
        batch.bytes + size + static_cast<size_t>(batch.count) + 1;
    if (size > kMaxBatchedLine || in_log > kMaxBatch) break;
    batch.bytes += size;
    ++batch.count;
  }
  return batch;
}

}  // namespace

void LineRecorder::Append(absl::string_view bytes, LineEnd end) {
  log_->Append({.stream = stream_, .end = end, .payload = bytes});
  continued_ = end == LineEnd::kContinued;
}

void LineRecorder::Keep(absl::string_view bytes) {
  part_.append(bytes.data(), bytes.size());
  if (part_.size() >= kMaxPayload) FlushPart();
}

void LineRecorder::AppendLines(absl::string_view lines) {
  while (!lines.empty()) {
    Batch batch;
    if (log_->has_batches()) batch = LeadingBatch(lines);
    if (batch.count >= kMinBatchLines) {
      log_->AppendBatch(stream_, lines.substr(0, batch.bytes), batch.count);
      lines.remove_prefix(batch.bytes);
    } else {
      const size_t newline = lines.find('\n');
      Append(lines.substr(0, newline), LineEnd::kNewline);
      lines.remove_prefix(newline + 1);
    }
  }
}

void LineRecorder::Feed(absl::string_view bytes) {
  if (!part_.empty() || continued_) {
    const size_t newline = bytes.find('\n');
    if (newline == absl::string_view::npos) return Keep(bytes);
    absl::StrAppend(&part_, bytes.substr(0, newline));
    Append(part_, LineEnd::kNewline);
    part_.clear();
    bytes.remove_prefix(newline + 1);
  }
  const size_t last = bytes.rfind('\n');
  const size_t whole = last == absl::string_view::npos ? 0 : last + 1;
  AppendLines(bytes.substr(0, whole));
  if (whole < bytes.size()) Keep(bytes.substr(whole));
}

void LineRecorder::FlushPart() {
  if (part_.empty()) return;
  Append(part_, LineEnd::kContinued);
  part_.clear();
}

void LineRecorder::Finish() {
  // A continued line needs an end even if nothing more came.
  if (part_.empty() && !continued_) return;
  Append(part_, LineEnd::kNone);
  part_.clear();
}

}  // namespace troika::relay
