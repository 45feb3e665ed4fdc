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

// Enough for two records of the greatest length is enough for any good log;
// the rest is for damaged ones.
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

// The number that comes after the lines of `text`, which ends in a newline.
// Nothing where no line is a record.
std::optional<int64_t> NumberAfter(absl::string_view text) {
  int64_t damaged = 0;
  while (!text.empty()) {
    text.remove_suffix(1);
    const size_t newline = text.rfind('\n');
    const size_t start = newline == absl::string_view::npos ? 0 : newline + 1;
    const auto record = ParseRecord(text.substr(start));
    if (record) return record->number + 1 + damaged;
    if (ParseHeader(text.substr(start))) return 1 + damaged;
    ++damaged;
    text = text.substr(0, start);
  }
  return std::nullopt;
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
    const size_t newline = text.rfind('\n');
    const size_t whole = newline == std::string::npos ? 0 : newline + 1;
    end.torn_bytes = static_cast<int64_t>(text.size() - whole);
    const auto number = NumberAfter(absl::string_view(text).substr(0, whole));
    if (number) {
      end.next_number = *number;
      return end;
    }
    // Damaged from its first byte: what is appended can still be read.
    if (look == end.size) {
      end.next_number = 1 + std::count(text.begin(), text.end(), '\n');
      return end;
    }
    if (look >= kLastLook) {
      return absl::DataLossError(
          "no record can be read in the last 64 MiB of the log");
    }
  }
}

}  // namespace troika::relay
