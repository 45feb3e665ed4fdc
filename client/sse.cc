#include "client/sse.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troika::client {
namespace {

constexpr absl::string_view kBom = "\xEF\xBB\xBF";

}  // namespace

absl::Status SseParser::Feed(absl::string_view bytes, Sink sink) {
  while (!bytes.empty()) {
    // The second half of a CRLF that ended the last line.
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const size_t end = bytes.find_first_of("\r\n");
    const absl::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() + event_.data.size() > max_bytes_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("read the server's events: one is longer than ",
                       max_bytes_, " bytes"));
    }
    line_.append(part.data(), part.size());
    if (end == absl::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    OnLine(sink);
    line_.clear();
  }
  return absl::OkStatus();
}

void SseParser::Restart() {
  line_.clear();
  after_cr_ = false;
  at_start_ = true;
  event_ = {};
  has_data_ = false;
  has_id_ = false;
}

void SseParser::OnLine(Sink sink) {
  absl::string_view line = line_;
  if (std::exchange(at_start_, false)) absl::ConsumePrefix(&line, kBom);
  if (line.empty()) return Dispatch(sink);
  const size_t colon = line.find(':');
  if (colon == 0) return;  // A comment.
  if (colon == absl::string_view::npos) return OnField(line, "");
  absl::string_view value = line.substr(colon + 1);
  absl::ConsumePrefix(&value, " ");
  OnField(line.substr(0, colon), value);
}

void SseParser::OnField(absl::string_view name, absl::string_view value) {
  if (name == "data") {
    if (has_data_) event_.data += '\n';
    absl::StrAppend(&event_.data, value);
    has_data_ = true;
  } else if (name == "event") {
    event_.name = std::string(value);
  } else if (name == "id" && value.find('\0') == absl::string_view::npos) {
    event_.id = std::string(value);
    has_id_ = true;
  }
}

void SseParser::Dispatch(Sink sink) {
  SseEvent event = std::exchange(event_, {});
  // Only now, because an incomplete event has to come again.
  if (std::exchange(has_id_, false)) last_id_ = event.id;
  if (!std::exchange(has_data_, false)) return;
  if (event.name.empty()) event.name = "message";
  sink(std::move(event));
}

}  // namespace troika::client
