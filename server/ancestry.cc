#include "server/ancestry.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troika {
namespace {

// A guard against endless work: a longer chain is not believed.
constexpr size_t kMaxAncestors = 4096;
// Processes end while we look, and their children get another parent.
constexpr int kTries = 5;

struct Process {
  Ancestor self;
  pid_t parent = 0;
};

std::optional<Process> ReadProcess(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  // "PID (NAME) STATE PPID …", where the name may hold anything.
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos) {
    return std::nullopt;
  }
  Process process;
  process.self.pid = pid;
  process.self.name = text.substr(open + 1, close - open - 1);
  std::istringstream rest(text.substr(close + 1));
  std::string skipped;
  rest >> skipped >> process.parent;
  // From the 5th field to the 22nd.
  for (int i = 5; i < 22; ++i) rest >> skipped;
  rest >> process.self.started;
  if (!rest) return std::nullopt;
  return process;
}

enum class Walk { kWhole, kCut, kTooLong };

Walk WalkFrom(pid_t pid, std::vector<Ancestor>* ancestors) {
  ancestors->clear();
  while (pid > 0) {
    if (ancestors->size() == kMaxAncestors) return Walk::kTooLong;
    std::optional<Process> process = ReadProcess(pid);
    if (!process) return Walk::kCut;
    // A parent that is younger has got the number of the real one.
    if (!ancestors->empty() &&
        process->self.started > ancestors->back().started) {
      return Walk::kCut;
    }
    pid = process->parent;
    ancestors->push_back(std::move(process->self));
  }
  return ancestors->empty() ? Walk::kCut : Walk::kWhole;
}

Walk WalkRepeatedly(pid_t pid, std::vector<Ancestor>* ancestors) {
  Walk walk = Walk::kCut;
  for (int i = 0; i < kTries && walk == Walk::kCut; ++i) {
    walk = WalkFrom(pid, ancestors);
  }
  return walk;
}

}  // namespace

std::optional<std::vector<Ancestor>> AncestorsOf(pid_t pid) {
  std::vector<Ancestor> ancestors;
  if (WalkRepeatedly(pid, &ancestors) != Walk::kWhole) return std::nullopt;
  return ancestors;
}

std::vector<Ancestor> VisibleAncestorsOf(pid_t pid) {
  std::vector<Ancestor> ancestors;
  WalkRepeatedly(pid, &ancestors);
  return ancestors;
}

std::string TaskFolderOfRelay(pid_t relay) {
  // Relay and guard hold the log of their task open for as long as they live.
  std::error_code error;
  std::filesystem::directory_iterator files(
      absl::StrCat("/proc/", relay, "/fd"), error);
  for (; !error && files != std::filesystem::directory_iterator();
       files.increment(error)) {
    std::error_code gone;
    const std::string target =
        std::filesystem::read_symlink(files->path(), gone).string();
    absl::string_view folder = target;
    if (!gone && absl::ConsumeSuffix(&folder, "/log.v1")) {
      return std::string(folder);
    }
  }
  return "";
}

bool IsRelay(const Ancestor& process) {
  return process.name == "troika-relay" || process.name == "troika-guard";
}

}  // namespace troika
