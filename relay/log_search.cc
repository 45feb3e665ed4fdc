#include "relay/log_search.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "relay/log_format.h"

namespace troika::relay {
namespace {

// Two records of the greatest length are enough for any good log; the rest is
// for damaged ones.
constexpr int64_t kFirstTail = 16 << 10;
constexpr int64_t kMaxTail = int64_t{64} << 20;
// Most records are shorter than the first read.
constexpr size_t kFirstRead = size_t{4} << 10;
constexpr size_t kRead = size_t{256} << 10;
// The last bytes of a search are read line by line.
constexpr int64_t kSmall = int64_t{4} << 10;

struct NumberedOffset {
  int64_t number = 0;
  int64_t offset = 0;
};

// No writer gets there; numbers up to it can be added to.
constexpr int64_t kMaxNumber = int64_t{1} << 62;

// What the file's last bytes tell of its end.
struct Tail {
  // Past every record in them; nullopt if no number can be told. A line that is
  // no record may have been one, so it takes a number too, even without its
  // end.
  std::optional<int64_t> next_number;
  size_t torn = 0;  // Size of the torn record at the end.
};

// Reads `text`, which is the file from `offset` on.
Tail ReadTail(absl::string_view text, int64_t offset) {
  int64_t next = 1;
  bool known = offset == 0;
  size_t begin = 0;
  if (!known) {
    // The first line began somewhere before.
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
    } else if (offset > 0 || begin > 0) {  // Else it is the header.
      ++next;
    }
    if (torn) tail.torn = text.size() - begin;
    begin = end + 1 + lines;
  }
  if (known) tail.next_number = next;
  return tail;
}

std::optional<int64_t> NumberOf(absl::string_view line) {
  if (const auto record = ParseRecord(line)) return record->number;
  if (const auto head = ParseBatchHead(line)) return head->number;
  return std::nullopt;
}

// The first record or batch that begins at a line's start in [from, end).
// Lines that are neither are passed over, damaged ones and those of batches.
absl::StatusOr<std::optional<NumberedOffset>> NextRecord(int fd, int64_t from,
                                                         int64_t end) {
  // Where a line begins is told by the byte before it.
  int64_t base = std::max<int64_t>(from - 1, 0);
  bool at_line = from == 0;
  std::string text;
  for (size_t bytes = kFirstRead; base < end; bytes = kRead) {
    ASSIGN_OR_RETURN(const size_t more,
                     ReadAt(fd, base + static_cast<int64_t>(text.size()), bytes,
                            kLogName, &text));
    size_t begin = 0;
    while (true) {
      const size_t newline = text.find('\n', begin);
      if (newline == std::string::npos) break;
      if (at_line) {
        const int64_t offset = base + static_cast<int64_t>(begin);
        if (offset >= end) return std::nullopt;
        const auto number =
            NumberOf(absl::string_view(text).substr(begin, newline - begin));
        if (number) return NumberedOffset{*number, offset};
      }
      at_line = true;
      begin = newline + 1;
    }
    if (more == 0) return std::nullopt;
    // A line that is too long for a record is none, however it ends.
    if (begin == 0 && text.size() > kMaxRecord) {
      begin = text.size();
      at_line = false;
    }
    text.erase(0, begin);
    base += static_cast<int64_t>(begin);
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<UniqueFd> OpenLogFile(int dir_fd, int flags) {
  UniqueFd fd(openat(dir_fd, kLogName,
                     flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                     0600));
  struct stat file = {};
  const bool other = fd.ok()
                         ? fstat(fd.get(), &file) == 0 && !S_ISREG(file.st_mode)
                         : errno == ELOOP || errno == ENXIO;
  if (other) {
    return absl::DataLossError(
        absl::StrCat(kLogName, " is no regular file: remove it"));
  }
  if (!fd.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("open ", kLogName));
  }
  return fd;
}

absl::StatusOr<LogEnd> FindLogEnd(int fd) {
  struct stat file = {};
  if (fstat(fd, &file) != 0) return absl::ErrnoToStatus(errno, "stat the log");
  LogEnd end;
  end.size = file.st_size;
  if (end.size == 0) return end;
  for (int64_t size = kFirstTail;; size *= 8) {
    size = std::min(size, end.size);
    std::string text;
    ASSIGN_OR_RETURN(const size_t read,
                     ReadAt(fd, end.size - size, static_cast<size_t>(size),
                            kLogName, &text));
    if (static_cast<int64_t>(read) < size) {
      return absl::DataLossError("the log shrinks while it is read");
    }
    const Tail tail = ReadTail(text, end.size - size);
    end.torn_bytes = static_cast<int64_t>(tail.torn);
    end.ends_within_line = text.back() != '\n';
    if (tail.next_number && *tail.next_number > kMaxNumber) {
      return absl::DataLossError("the log has no numbers left for records");
    }
    if (tail.next_number) {
      end.next_number = *tail.next_number;
      return end;
    }
    if (size >= kMaxTail) {
      return absl::DataLossError(
          "no record can be read in the last 64 MiB of the log");
    }
  }
}

absl::StatusOr<int64_t> FindRecord(int fd, int64_t number) {
  struct stat file = {};
  if (fstat(fd, &file) != 0) return absl::ErrnoToStatus(errno, "stat the log");
  int64_t low = 0;  // A record with a number up to `number` begins here, or 0.
  int64_t high = file.st_size;
  while (high - low > kSmall) {
    const int64_t middle = low + (high - low) / 2;
    ASSIGN_OR_RETURN(const auto found, NextRecord(fd, middle, high));
    if (found && found->number <= number) {
      low = found->offset;
    } else {
      high = middle;
    }
  }
  while (true) {
    ASSIGN_OR_RETURN(const auto found, NextRecord(fd, low + 1, high));
    if (!found || found->number > number) return low;
    low = found->offset;
  }
}

}  // namespace troika::relay
