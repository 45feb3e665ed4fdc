#include "task/line_run.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace troika {

void LineRun::Append(const Record& line) {
  if (lines_ == 0) {
    first_record_ = line.number;
    offset_ = line.offset;
    time_ = line.time;
  } else {
    text_ += '\n';
  }
  ++lines_;
  last_record_ = line.number;
  absl::StrAppend(&text_, line.bytes);
}

void LineRun::Add(relay::Stream stream, const Record& line,
                  std::optional<Payload> alone, absl::string_view reason) {
  if (lines_ == 0) {
    stream_ = stream;
    reason_ = std::string(reason);
  }
  Append(line);
  if (alone && !is_long()) alone_.push_back({line.number, *std::move(alone)});
}

void LineRun::AddBlank(const Record& line) {
  if (!empty()) Append(line);
}

std::vector<LineRun::Told> LineRun::Take() {
  LineRun run = std::exchange(*this, LineRun());
  if (!run.is_long()) return std::move(run.alone_);
  Raw raw;
  raw.type = run.stream_ == relay::Stream::kStderr ? "stderr" : "stdout";
  raw.reason = std::move(run.reason_);
  raw.offset = run.offset_;
  raw.size = static_cast<int64_t>(run.text_.size());
  raw.line = std::move(run.text_);
  raw.lines = run.lines_;
  raw.first_record = run.first_record_;
  std::vector<Told> told;
  told.push_back({run.last_record_, std::move(raw)});
  return told;
}

}  // namespace troika
