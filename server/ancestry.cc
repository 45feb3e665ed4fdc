#include "server/ancestry.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"

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

}  // namespace

std::optional<std::vector<Ancestor>> AncestorsOf(pid_t pid) {
  std::vector<Ancestor> ancestors;
  Walk walk = Walk::kCut;
  for (int i = 0; i < kTries && walk == Walk::kCut; ++i) {
    walk = WalkFrom(pid, &ancestors);
  }
  if (walk != Walk::kWhole) return std::nullopt;
  return ancestors;
}

bool IsRelay(const Ancestor& process) {
  return process.name == "troika-relay" || process.name == "troika-guard";
}

}  // namespace troika
