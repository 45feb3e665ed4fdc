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

// No writer gets there; numbers up to it can be added to.
constexpr int64_t kMaxNumber = int64_t{1} << 62;

// The number past every record in `text`, which is the file from `offset` on. A
// line that is no record may have been one, so it takes a number too; it need
// not have an end. Nothing where no number can be told.
std::optional<int64_t> NumberAfter(absl::string_view text, int64_t offset) {
  int64_t next = 1;
  bool known = offset == 0;
  size_t begin = 0;
  if (!known) {
    // The first line began somewhere before.
    const size_t newline = text.find('\n');
    if (newline == absl::string_view::npos) return std::nullopt;
    begin = newline + 1;
  }
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (const auto record = ParseRecord(text.substr(begin, end - begin))) {
      next = std::max(next, std::min(record->number, kMaxNumber) + 1);
      known = true;
    } else if (offset > 0 || begin > 0) {  // Else it is the header.
      ++next;
    }
    begin = end + 1;
  }
  return known ? std::optional<int64_t>(next) : std::nullopt;
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
    const auto number = NumberAfter(text, end.size - look);
    if (number && *number > kMaxNumber) {
      return absl::DataLossError("the log has no numbers left for records");
    }
    if (number) {
      end.next_number = *number;
      return end;
    }
    if (look >= kLastLook) {
      return absl::DataLossError(
          "no record can be read in the last 64 MiB of the log");
    }
  }
}

}  // namespace troika::relay
