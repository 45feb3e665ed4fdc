#include "testing/fake/io.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace troika::fake {
namespace {

constexpr size_t kFloodBytes = size_t{1} << 18;

}  // namespace

absl::Status WriteMany(int fd, absl::string_view line, int64_t count) {
  if (line.empty()) return absl::OkStatus();
  const int64_t fit =
      std::max<int64_t>(1, static_cast<int64_t>(kFloodBytes / line.size()));
  const int64_t at_once = std::min(count, fit);
  std::string lines;
  for (int64_t i = 0; i < at_once; ++i) absl::StrAppend(&lines, line);
  while (count > 0) {
    const int64_t now = std::min(count, at_once);
    const absl::Status status =
        WriteAll(fd, absl::string_view(lines).substr(
                         0, static_cast<size_t>(now) * line.size()));
    if (!status.ok()) return status;
    count -= now;
  }
  return absl::OkStatus();
}

std::string Garbage(int64_t size) {
  std::string bytes(static_cast<size_t>(size), '\0');
  uint64_t state = 0x9E3779B97F4A7C15;
  for (char& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<char>(state >> 32);
  }
  return bytes;
}

void Die(int exit_code, absl::string_view why) {
  // If this fails too, there is nowhere to report it.
  (void)WriteAll(STDERR_FILENO, absl::StrCat(why, "\n"));
  _exit(exit_code);
}

void DieIfBad(const absl::Status& status) {
  if (!status.ok()) Die(kBadScript, absl::StrCat("fake: ", status.message()));
}

}  // namespace troika::fake
