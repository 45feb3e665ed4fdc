#include "base/line_splitter.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace troika {

void LineSplitter::Feed(absl::string_view chunk, LineSink sink) {
  while (!chunk.empty()) {
    const size_t newline = chunk.find('\n');
    if (newline == absl::string_view::npos) {
      Keep(chunk);
      return;
    }
    const absl::string_view part = chunk.substr(0, newline);
    chunk.remove_prefix(newline + 1);
    if (pending_size_ > 0) {
      Keep(part);
      DeliverPending(sink);
    } else {
      const bool cr = absl::EndsWith(part, "\r");
      Deliver(part.substr(0, part.size() - cr), part.size() - cr, sink);
      offset_ += part.size();
    }
    ++offset_;
  }
}

void LineSplitter::Finish(LineSink sink) {
  if (pending_size_ > 0) DeliverPending(sink);
}

void LineSplitter::Keep(absl::string_view part) {
  if (part.empty()) return;
  pending_size_ += part.size();
  pending_ends_in_cr_ = part.back() == '\r';
  // Keeps one byte more than the limit, because the last one may be a CR of the
  // line's end.
  const int64_t room = max_bytes_ + 1 - static_cast<int64_t>(pending_.size());
  if (room > 0) {
    pending_.append(part.data(), std::min<int64_t>(room, part.size()));
  }
}

void LineSplitter::Deliver(absl::string_view bytes, int64_t size,
                           LineSink sink) {
  if (size > max_bytes_) bytes = bytes.substr(0, kept_bytes_);
  sink({.bytes = bytes, .offset = offset_, .size = size});
}

void LineSplitter::DeliverPending(LineSink sink) {
  const int64_t size = pending_size_ - pending_ends_in_cr_;
  const absl::string_view kept = pending_;
  Deliver(kept.substr(0, std::min<int64_t>(size, kept.size())), size, sink);
  offset_ += pending_size_;
  pending_size_ = 0;
  pending_ends_in_cr_ = false;
  if (pending_.capacity() > size_t{1} << 20) {
    pending_ = std::string();
  } else {
    pending_.clear();
  }
}

}  // namespace troika
