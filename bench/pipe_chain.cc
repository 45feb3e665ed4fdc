#include "bench/pipe_chain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "bench/program.h"
#include "bench/relay_run.h"
#include "relay/testing.h"

namespace troika::bench {
namespace {

constexpr size_t kRoom = 64 << 10;

struct Pipe {
  UniqueFd out, in;
};

absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  return Pipe{.out = UniqueFd(fds[0]), .in = UniqueFd(fds[1])};
}

absl::StatusOr<UniqueFd> MakeFile(const TempFolder& folder, const char* name) {
  UniqueFd file(
      openat(folder.fd(), name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.ok()) return absl::ErrnoToStatus(errno, name);
  return file;
}

// Waits as a loop does, and reads; 0 at the end, or if nothing comes for long.
ssize_t WaitAndRead(int fd, char* bytes, size_t room) {
  pollfd readable = {.fd = fd, .events = POLLIN};
  return poll(&readable, 1, kPatienceMillis) <= 0 ? 0 : read(fd, bytes, room);
}

// In a child: never returns.
[[noreturn]] void PlayRelay(int in, int log, int out) {
  static char bytes[kRoom];
  while (true) {
    const ssize_t n = WaitAndRead(in, bytes, kRoom);
    if (n <= 0) _exit(0);
    const auto size = static_cast<size_t>(n);
    if (write(log, bytes, size) != n ||
        write(out, &size, sizeof(size)) != sizeof(size)) {
      _exit(1);
    }
  }
}

[[noreturn]] void PlayServer(int in, int log, int events, int out) {
  static char bytes[kRoom];
  off_t offset = 0;
  while (true) {
    size_t size = 0;
    if (WaitAndRead(in, reinterpret_cast<char*>(&size), sizeof(size)) <= 0) {
      _exit(0);
    }
    const ssize_t n = pread(log, bytes, size, offset);
    if (n <= 0 || write(events, bytes, static_cast<size_t>(n)) != n ||
        write(out, bytes, static_cast<size_t>(n)) != n) {
      _exit(1);
    }
    offset += n;
  }
}

}  // namespace

absl::StatusOr<std::vector<double>> PipeChainMicros(const AgentPlan& plan) {
  const TempFolder folder;
  ASSIGN_OR_RETURN(const UniqueFd log, MakeFile(folder, "log"));
  ASSIGN_OR_RETURN(const UniqueFd events, MakeFile(folder, "events"));
  ASSIGN_OR_RETURN(Pipe first, MakePipe());
  ASSIGN_OR_RETURN(Pipe second, MakePipe());
  ASSIGN_OR_RETURN(Pipe third, MakePipe());
  std::vector<pid_t> children;
  const absl::Cleanup end = [&] {
    for (const pid_t pid : children) {
      kill(pid, SIGKILL);
      WaitFor(pid);
    }
  };
  children.push_back(fork());
  if (children.back() == 0) {
    PlayRelay(first.out.get(), log.get(), second.in.get());
  }
  children.push_back(fork());
  if (children.back() == 0) {
    PlayServer(second.out.get(), log.get(), events.get(), third.in.get());
  }
  if (children[0] < 0 || children[1] < 0) {
    return absl::ErrnoToStatus(errno, "fork");
  }
  ASSIGN_OR_RETURN(
      const pid_t agent,
      Spawn({ServerAgentProgram(), "exec"}, {{first.in.get(), STDOUT_FILENO}},
            {absl::StrCat("TROIKA_BENCH_PLAN=", PlanText(plan))}));
  children.push_back(agent);
  std::vector<double> micros;
  std::string bytes(kRoom, '\0');
  while (micros.size() < static_cast<size_t>(plan.count)) {
    const ssize_t n = WaitAndRead(third.out.get(), bytes.data(), kRoom);
    const int64_t now = NowNanos();
    RETURN_IF_ERROR(CheckStop());
    if (n <= 0) return absl::InternalError("a process of the chain ended");
    const absl::string_view read(bytes.data(), static_cast<size_t>(n));
    for (size_t at = read.find("\"@"); at != absl::string_view::npos;
         at = read.find("\"@", at + 1)) {
      char* rest = nullptr;
      const int64_t sent = strtoll(read.data() + at + 2, &rest, 10);
      // Message 0 has the time of the agent's start.
      if (strtoll(rest, nullptr, 10) == 0) continue;
      micros.push_back(static_cast<double>(now - sent) * 1e-3);
    }
  }
  return micros;
}

}  // namespace troika::bench
