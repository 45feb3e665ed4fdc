#include "base/ancestry.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika {
namespace {

// Bounds the work: a longer chain is taken to be wrong.
constexpr size_t kMaxAncestors = 4096;
// Processes may end during the walk, and their children get another parent.
constexpr int kTries = 5;

Ancestry WalkFrom(pid_t pid) {
  Ancestry ancestry;
  std::vector<ProcessInfo>& found = ancestry.processes;
  while (pid > 0) {
    std::optional<ProcessInfo> process = ReadProcess(pid);
    // A parent that is younger than its child has reused the pid of the real
    // one.
    if (!process || found.size() == kMaxAncestors ||
        (!found.empty() && process->started > found.back().started)) {
      ancestry.cut_at = pid;
      return ancestry;
    }
    pid = process->parent;
    found.push_back(*std::move(process));
  }
  return ancestry;
}

// The first 4 KiB of a file that has no size.
std::string ReadProc(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  const ssize_t n = file.ok() ? read(file.get(), buffer, sizeof(buffer)) : 0;
  return std::string(buffer, n > 0 ? static_cast<size_t>(n) : 0);
}

}  // namespace

std::optional<ProcessInfo> ReadProcess(pid_t pid) {
  const std::string stat = ReadProc(absl::StrCat("/proc/", pid, "/stat"));
  const absl::string_view text = stat;
  // The format is "PID (NAME) STATE PPID …", and the name may hold any byte.
  const size_t open_at = text.find('(');
  const size_t close_at = text.rfind(')');
  if (open_at == text.npos || close_at == text.npos || close_at < open_at) {
    return std::nullopt;
  }
  // The fields from the third one on.
  const std::vector<absl::string_view> fields =
      absl::StrSplit(text.substr(close_at + 1), ' ', absl::SkipEmpty());
  constexpr size_t kState = 3 - 3;
  constexpr size_t kParent = 4 - 3;
  constexpr size_t kStarted = 22 - 3;
  ProcessInfo process = {
      .pid = pid,
      .name = std::string(text.substr(open_at + 1, close_at - open_at - 1))};
  if (fields.size() <= kStarted ||
      !absl::SimpleAtoi(fields[kParent], &process.parent) ||
      !absl::SimpleAtoi(fields[kStarted], &process.started)) {
    return std::nullopt;
  }
  process.state = fields[kState][0];
  return process;
}

Ancestry ReadAncestry(pid_t pid) {
  Ancestry ancestry;
  for (int i = 0; i < kTries && !ancestry.whole(); ++i) {
    ancestry = WalkFrom(pid);
    if (ancestry.processes.size() == kMaxAncestors) break;
  }
  return ancestry;
}

bool IsRelay(const ProcessInfo& process) {
  return process.name == "troika-relay" || process.name == "troika-guard";
}

uint64_t TicksSinceBoot() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  const auto per_second = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  return static_cast<uint64_t>(now.tv_sec) * per_second +
         static_cast<uint64_t>(now.tv_nsec) * per_second / 1000000000;
}

const std::string& BootId() {
  static const auto* const kId = new std::string(
      absl::StripAsciiWhitespace(ReadProc("/proc/sys/kernel/random/boot_id")));
  return *kId;
}

}  // namespace troika
