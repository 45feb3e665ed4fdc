#include "relay/log_end.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "relay/log_format.h"

namespace troika::relay {
namespace {

// Room for two records of the greatest length suffices for any good log; the
// rest is for damaged ones.
constexpr int64_t kFirstLook = 16 << 10;
constexpr int64_t kLastLook = int64_t{64} << 20;

absl::Status ReadAt(int fd, int64_t offset, std::string* buffer) {
  size_t done = 0;
  while (done < buffer->size()) {
    const ssize_t n = pread(fd, buffer->data() + done, buffer->size() - done,
                            offset + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "read the log's end");
    if (n == 0) return absl::DataLossError("the log shrinks while it is read");
    done += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

// Writers never reach this number, and adding to it can't overflow.
constexpr int64_t kMaxNumber = int64_t{1} << 62;

// The end of the log, as its last bytes show it.
struct Tail {
  // Number after every record in these bytes; nullopt if it is unknown. A line
  // that is not a record may have been one, so it takes a number too, even
  // without its end.
  std::optional<int64_t> next_number;
  size_t torn = 0;  // Size of the torn record at the end.
};

// Reads `text`, the part of the file from `offset` on.
Tail ReadTail(absl::string_view text, int64_t offset) {
  int64_t next = 1;
  bool known = offset == 0;
  size_t begin = 0;
  if (!known) {
    // The first line began before `text`.
    const size_t newline = text.find('\n');
    if (newline == absl::string_view::npos) return {.torn = text.size()};
    begin = newline + 1;
  }
  Tail tail;
  const auto reach = [&](int64_t number, int64_t count) {
    next = std::max(next, std::min(number, kMaxNumber) + count);
    known = true;
  };
  while (begin < text.size()) {
    const size_t newline = text.find('\n', begin);
    const size_t end = std::min(newline, text.size());
    const absl::string_view line = text.substr(begin, end - begin);
    size_t lines = 0;  // Bytes of a batch's lines.
    bool torn = newline == absl::string_view::npos;
    if (const auto record = ParseRecord(line)) {
      reach(record->number, 1);
    } else if (const auto head = ParseBatchHead(line)) {
      reach(head->number, head->count);
      const BatchLines found =
          ScanBatchLines(*head, torn ? "" : text.substr(end + 1));
      torn = found.state == BatchLines::State::kPartial;
      lines = found.bytes;
    } else if (offset > 0 || begin > 0) {  // Otherwise it is the header.
      ++next;
    }
    if (torn) tail.torn = text.size() - begin;
    begin = end + 1 + lines;
  }
  if (known) tail.next_number = next;
  return tail;
}

}  // namespace

absl::StatusOr<LogEnd> FindLogEnd(int fd) {
  struct stat file = {};
  if (fstat(fd, &file) != 0) return absl::ErrnoToStatus(errno, "stat the log");
  LogEnd end;
  end.size = file.st_size;
  if (end.size == 0) return end;
  for (int64_t look = kFirstLook;; look *= 8) {
    look = std::min(look, end.size);
    std::string text(static_cast<size_t>(look), '\0');
    const absl::Status read = ReadAt(fd, end.size - look, &text);
    if (!read.ok()) return read;
    const Tail tail = ReadTail(text, end.size - look);
    end.torn_bytes = static_cast<int64_t>(tail.torn);
    end.ends_within_line = text.back() != '\n';
    if (tail.next_number && *tail.next_number > kMaxNumber) {
      return absl::DataLossError("the log has no numbers left for records");
    }
    if (tail.next_number) {
      end.next_number = *tail.next_number;
      return end;
    }
    if (look >= kLastLook) {
      return absl::DataLossError(
          "no record can be read in the last 64 MiB of the log");
    }
  }
}

}  // namespace troika::relay
