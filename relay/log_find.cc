#include "relay/log_find.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "relay/log_format.h"

namespace troika::relay {
namespace {

// Most records are shorter than the first read.
constexpr size_t kFirstLook = size_t{4} << 10;
constexpr size_t kLook = size_t{256} << 10;
// Ranges up to this size are read line by line.
constexpr int64_t kSmall = int64_t{4} << 10;

struct Place {
  int64_t number = 0;
  int64_t offset = 0;
};

// Returns up to `bytes` of the file from `offset` on.
absl::StatusOr<std::string> ReadAt(int fd, int64_t offset, size_t bytes) {
  std::string text(bytes, '\0');
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = pread(fd, text.data() + done, bytes - done,
                            offset + static_cast<int64_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "read the log");
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  text.resize(done);
  return text;
}

std::optional<int64_t> NumberOf(absl::string_view line) {
  if (const auto record = ParseRecord(line)) return record->number;
  if (const auto head = ParseBatchHead(line)) return head->number;
  return std::nullopt;
}

// Returns the first record or batch that begins at a line's start in [from,
// end). Skips other lines: those of batches and damaged ones.
absl::StatusOr<std::optional<Place>> NextRecord(int fd, int64_t from,
                                                int64_t end) {
  // The byte before a line shows that the line begins there.
  int64_t base = std::max<int64_t>(from - 1, 0);
  bool at_line = from == 0;
  std::string text;
  for (size_t look = kFirstLook; base < end; look = kLook) {
    ASSIGN_OR_RETURN(
        const std::string more,
        ReadAt(fd, base + static_cast<int64_t>(text.size()), look));
    text += more;
    size_t begin = 0;
    while (true) {
      const size_t newline = text.find('\n', begin);
      if (newline == std::string::npos) break;
      if (at_line) {
        const int64_t offset = base + static_cast<int64_t>(begin);
        if (offset >= end) return std::nullopt;
        const auto number =
            NumberOf(absl::string_view(text).substr(begin, newline - begin));
        if (number) return Place{*number, offset};
      }
      at_line = true;
      begin = newline + 1;
    }
    if (more.empty()) return std::nullopt;
    // A line that is too long is not a record, whatever its end.
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

absl::StatusOr<int64_t> FindRecord(int fd, int64_t number) {
  struct stat file = {};
  if (fstat(fd, &file) != 0) return absl::ErrnoToStatus(errno, "stat the log");
  // 0, or the offset of a record with a number up to `number`.
  int64_t low = 0;
  int64_t high = file.st_size;
  while (high - low > kSmall) {
    const int64_t middle = low + (high - low) / 2;
    ASSIGN_OR_RETURN(const auto place, NextRecord(fd, middle, high));
    if (place && place->number <= number) {
      low = place->offset;
    } else {
      high = middle;
    }
  }
  while (true) {
    ASSIGN_OR_RETURN(const auto place, NextRecord(fd, low + 1, high));
    if (!place || place->number > number) return low;
    low = place->offset;
  }
}

}  // namespace troika::relay
