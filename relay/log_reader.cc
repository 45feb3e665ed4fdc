#include "relay/log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "relay/log_search.h"

namespace troika::relay {
namespace {

constexpr size_t kChunk = size_t{256} << 10;
// Buffer of a reader that waits for more: there may be a thousand readers.
constexpr size_t kIdle = size_t{8} << 10;
constexpr size_t kSnippet = 200;

std::string Missing(int64_t first, int64_t last) {
  if (first > last) return "no record is missing there";
  if (first == last) return absl::StrCat("record ", first, " is missing");
  return absl::StrCat("records ", first, " to ", last, " are missing");
}

}  // namespace

absl::StatusOr<LogReader> LogReader::Open(int dir_fd) {
  ASSIGN_OR_RETURN(UniqueFd fd, OpenLogFile(dir_fd, O_RDONLY));
  LogReader reader(std::move(fd));
  reader.in_folder_ = true;
  return reader;
}

LogReader::LogReader(UniqueFd fd) : fd_(std::move(fd)), buffer_(kIdle) {}

void LogReader::SkipTo(int64_t offset) {
  if (offset == 0) return;
  offset_ = offset;
  header_read_ = true;
  skipped_ = true;
}

absl::Status LogReader::CheckSize() const {
  struct stat file = {};
  if (fstat(fd_.get(), &file) != 0) {
    return absl::ErrnoToStatus(errno, "stat the log");
  }
  if (in_folder_ && file.st_nlink == 0) {
    return absl::DataLossError("the task's log was removed");
  }
  if (file.st_size < offset_) {
    return absl::DataLossError(absl::StrCat("the log was cut to ", file.st_size,
                                            " bytes, after ", offset_,
                                            " bytes of it had been read"));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> LogReader::Read(LogSink& sink, int64_t max_bytes) {
  int64_t total = 0;
  while (total < max_bytes) {
    // The buffer grows on demand, because few logs have records of maximal
    // length.
    if (end_ == buffer_.size()) {
      buffer_.resize(std::min(2 * end_, kMaxRecord + kChunk));
    }
    const size_t room = std::min(
        {kChunk, buffer_.size() - end_,
         static_cast<size_t>(std::min<int64_t>(max_bytes - total, kChunk))});
    const ssize_t n = pread(fd_.get(), buffer_.data() + end_, room, offset_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "read the log");
    if (n == 0) {
      RETURN_IF_ERROR(CheckSize());
      break;
    }
    const bool full = end_ + static_cast<size_t>(n) == buffer_.size();
    end_ += static_cast<size_t>(n);
    offset_ += n;
    total += n;
    RETURN_IF_ERROR(OnLines(sink));
    // There is much to read, so the next read is a large one.
    if (full && buffer_.size() < kChunk) buffer_.resize(kChunk);
    // This was the end; a tip announces more.
    if (static_cast<size_t>(n) < room) break;
  }
  if (end_ == 0 && buffer_.size() > kIdle) {
    std::vector<char>(kIdle).swap(buffer_);
  }
  return total;
}

absl::Status LogReader::OnLines(LogSink& sink) {
  int64_t at = offset_ - static_cast<int64_t>(end_);
  absl::string_view text(buffer_.data(), end_);
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    if (newline == absl::string_view::npos) break;
    const absl::string_view rest = text.substr(newline + 1);
    size_t taken = 0;
    if (skipping_) {
      skipping_ = false;
      AddDamage(text.substr(0, newline + 1), at);
    } else {
      ASSIGN_OR_RETURN(const auto of_rest,
                       OnLine(text.substr(0, newline), rest, at, sink));
      if (!of_rest) break;
      taken = *of_rest;
    }
    at += static_cast<int64_t>(newline + 1 + taken);
    text.remove_prefix(newline + 1 + taken);
  }
  if (text.size() > kMaxRecord) {
    AddDamage(text, at);
    skipping_ = true;
    header_read_ = true;
    text = {};
  }
  if (!text.empty()) memmove(buffer_.data(), text.data(), text.size());
  end_ = text.size();
  return absl::OkStatus();
}

absl::StatusOr<bool> LogReader::OnHeader(absl::string_view line,
                                         int64_t offset) {
  const auto header = ParseHeader(line);
  if (!header) {
    // The damage is reported even if no record is missing.
    AddDamage("", offset);
    return false;
  }
  if (header->version < 1 || header->version > kLogVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the log has version ", header->version, ", and this troika reads ",
        "versions 1 to ", kLogVersion, ": use a newer one"));
  }
  task_id_ = header->task_id;
  version_ = header->version;
  return true;
}

absl::StatusOr<std::optional<size_t>> LogReader::OnLine(absl::string_view line,
                                                        absl::string_view rest,
                                                        int64_t offset,
                                                        LogSink& sink) {
  if (!std::exchange(header_read_, true)) {
    ASSIGN_OR_RETURN(const bool is_header, OnHeader(line, offset));
    if (is_header) return size_t{0};
  }
  const absl::string_view whole(line.data(), line.size() + 1);
  auto record = ParseRecord(line);
  if (!record && version_ != 1) {
    if (const auto head = ParseBatchHead(line)) {
      return OnBatch(*head, whole, rest, offset, sink);
    }
  }
  // If the number occurred before, somebody copied the line.
  if (!record || record->number <= last_record_) {
    AddDamage(whole, offset);
    return size_t{0};
  }
  ReachRecord(record->number, offset, sink);
  record->offset = offset;
  record->size = static_cast<int64_t>(whole.size());
  last_record_ = record->number;
  sink.OnRecord(*record);
  return size_t{0};
}

std::optional<size_t> LogReader::OnBatch(const BatchHead& head,
                                         absl::string_view line,
                                         absl::string_view rest, int64_t offset,
                                         LogSink& sink) {
  const BatchLines lines = ScanBatchLines(head, rest);
  if (lines.state == BatchLines::State::kPartial) return std::nullopt;
  if (lines.state == BatchLines::State::kDamaged ||
      head.number <= last_record_) {
    AddDamage({line.data(), line.size() + lines.bytes}, offset,
              head.number + head.count - 1);
    return lines.bytes;
  }
  ReachRecord(head.number, offset, sink);
  LogRecord record = {.micros = head.micros,
                      .stream = head.stream,
                      .offset = offset,
                      .size = static_cast<int64_t>(line.size())};
  for (int64_t i = 0; i < head.count; ++i) {
    const size_t end = rest.find('\n');
    record.number = head.number + i;
    record.payload = rest.substr(1, end - 1);
    record.size += static_cast<int64_t>(end + 1);
    record.lines_after = head.count - 1 - i;
    rest.remove_prefix(end + 1);
    last_record_ = record.number;
    sink.OnRecord(record);
    record.offset += record.size;
    record.size = 0;
  }
  return lines.bytes;
}

void LogReader::ReachRecord(int64_t number, int64_t offset, LogSink& sink) {
  if (std::exchange(skipped_, false)) last_record_ = number - 1;
  if (number != last_record_ + 1 && !damage_) AddDamage("", offset);
  EndDamage(number, sink);
}

void LogReader::AddDamage(absl::string_view bytes, int64_t offset,
                          int64_t last_number) {
  if (!damage_) {
    damage_.emplace();
    damage_->after_record = last_record_;
    damage_->offset = offset;
  }
  damage_->last_number = std::max(damage_->last_number, last_number);
  damage_->bytes += static_cast<int64_t>(bytes.size());
  const size_t room = kSnippet - std::min(kSnippet, damage_->snippet.size());
  absl::StrAppend(&damage_->snippet, bytes.substr(0, room));
}

void LogReader::EndDamage(int64_t next_number, LogSink& sink) {
  if (!damage_) return;
  const int64_t first = damage_->after_record + 1;
  std::string missing;
  if (next_number > 0) {
    missing = Missing(first, next_number - 1);
  } else if (damage_->last_number >= first) {
    missing = absl::StrCat(Missing(first, damage_->last_number),
                           ", and no record follows");
  } else {
    missing = "no record follows";
  }
  damage_->what = absl::StrCat(
      damage_->offset == 0 ? "its header is missing or damaged: " : "",
      damage_->bytes, " bytes at byte ", damage_->offset,
      " are no records, and ", missing);
  sink.OnDamage(*damage_);
  damage_.reset();
}

void LogReader::Finish(LogSink& sink) {
  // An empty file lacks its header.
  if (offset_ == 0) AddDamage("", 0);
  if (end_ > 0) {
    const absl::string_view torn(buffer_.data(), end_);
    const auto head = ParseBatchHead(torn.substr(0, torn.find('\n')));
    AddDamage(torn, offset_ - static_cast<int64_t>(torn.size()),
              head ? head->number + head->count - 1 : 0);
    end_ = 0;
  }
  EndDamage(0, sink);
}

}  // namespace troika::relay
