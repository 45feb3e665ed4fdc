#include "bench/program.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "base/fd.h"
#include "testing/files.h"

namespace troika::bench {
namespace {

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const std::string& word : words) {
    all.push_back(const_cast<char*>(word.c_str()));
  }
  all.push_back(nullptr);
  return all;
}

}  // namespace

int RunMain(int argc, char** argv, absl::string_view help,
            absl::Status (*run)(const Command& args)) {
  const Command args(argv + 1, argv + argc);
  if (args == Command{"--help"}) {
    absl::PrintF("%s", help);
    return 0;
  }
  const absl::Status status = run(args);
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "%s: %s\n", argv[0], status.ToString());
  return 1;
}

void PrintLoad(absl::string_view bench, Format format) {
  double load[1] = {0};
  if (getloadavg(load, 1) != 1) return;
  Print(bench,
        {.metric = "machine.load_percent", .value = load[0] * 100, .unit = "%"},
        format);
}

absl::StatusOr<pid_t> Spawn(const Command& command,
                            absl::Span<const std::pair<int, int>> fds,
                            const std::vector<std::string>& environment) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [ours, theirs] : fds) {
    posix_spawn_file_actions_adddup2(&actions, ours, theirs);
  }
  pid_t pid = 0;
  const int error = posix_spawnp(
      &pid, command[0].c_str(), &actions, nullptr, Pointers(command).data(),
      environment.empty() ? environ : Pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return absl::ErrnoToStatus(error, command[0]);
  return pid;
}

int WaitFor(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

absl::StatusOr<std::string> RunChild(const Command& command) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const UniqueFd out(fds[0]);
  UniqueFd in(fds[1]);
  ASSIGN_OR_RETURN(const pid_t pid,
                   Spawn(command, {{in.get(), STDOUT_FILENO}}));
  in.Reset();
  std::string printed = ReadToEnd(out.get());
  const int status = WaitFor(pid);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return absl::InternalError(
        absl::StrCat(command[0], ": wait status ", status));
  }
  return printed;
}

absl::StatusOr<int64_t> StatusBytes(pid_t pid, absl::string_view field) {
  // Not getrusage, whose maximum begins with the parent's memory.
  std::ifstream file(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(file, line);) {
    absl::string_view rest = line;
    int64_t kibibytes = 0;
    if (absl::ConsumePrefix(&rest, field) &&
        absl::SimpleAtoi(absl::StripSuffix(rest, "kB"), &kibibytes)) {
      return kibibytes << 10;
    }
  }
  return absl::NotFoundError(
      absl::StrCat("the memory of process ", pid, ": it has ended"));
}

absl::StatusOr<int64_t> ToNumber(absl::string_view text) {
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return number;
  return absl::InternalError(absl::StrCat("it printed ", text));
}

double Quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const auto index =
      static_cast<size_t>(share * static_cast<double>(values.size()));
  return values[std::min(index, values.size() - 1)];
}

}  // namespace troika::bench
