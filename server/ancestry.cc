#include "server/ancestry.h"

#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace troika {
namespace {

constexpr size_t kMaxDepth = 128;

}  // namespace

std::vector<Ancestor> AncestorsOf(pid_t pid) {
  std::vector<Ancestor> ancestors;
  while (pid > 0 && ancestors.size() < kMaxDepth) {
    std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
    std::string text;
    if (!std::getline(file, text)) break;
    // "PID (NAME) STATE PPID …", where the name may hold anything.
    const size_t open = text.find('(');
    const size_t close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos) break;
    ancestors.push_back(
        {.pid = pid, .name = text.substr(open + 1, close - open - 1)});
    std::istringstream rest(text.substr(close + 1));
    std::string state;
    pid = 0;
    rest >> state >> pid;
  }
  return ancestors;
}

bool IsRelay(const Ancestor& process) {
  return process.name == "troika-relay" || process.name == "troika-guard";
}

}  // namespace troika
