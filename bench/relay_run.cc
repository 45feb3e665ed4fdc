#include "bench/relay_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "relay/client.h"
#include "relay/log_reader.h"
#include "relay/start.h"

namespace troika::bench {
namespace {

constexpr int64_t kPatienceNanos = 60'000'000'000;
constexpr int kPatienceMillis = 60'000;

class StdoutSink : public relay::LogSink {
 public:
  explicit StdoutSink(
      absl::FunctionRef<bool(const relay::LogRecord&)> on_stdout)
      : on_stdout_(on_stdout) {}

  void OnRecord(const relay::LogRecord& record) override {
    if (record.stream != relay::Stream::kStdout || done_) return;
    done_ = !on_stdout_(record);
  }
  void OnDamage(const relay::Damage& damage) override { what_ = damage.what; }

  bool done() const { return done_; }
  const std::string& damage() const { return what_; }

 private:
  absl::FunctionRef<bool(const relay::LogRecord&)> on_stdout_;
  bool done_ = false;
  std::string what_;
};

}  // namespace

int64_t NowNanos() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string AgentProgram() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         "relay_agent";
}

BenchRelay::BenchRelay()
    : log_(relay::LogWriter::Open(folder_.fd(), "task1", &clock_)) {}

absl::Status BenchRelay::Start(const Command& agent) {
  RETURN_IF_ERROR(log_.status());
  ASSIGN_OR_RETURN(const std::string program, relay::FindRelayProgram());
  ASSIGN_OR_RETURN(
      starting_,
      relay::StartRelay(
          program,
          {.argv = agent, .cwd = "/", .spawned_note = "{\"note\":\"spawned\"}"},
          *std::move(log_), folder_.fd()));
  return absl::OkStatus();
}

absl::Status BenchRelay::Follow(
    absl::FunctionRef<bool(const relay::LogRecord&)> on_stdout) {
  RETURN_IF_ERROR(relay::RelayStarted(starting_));
  starting_ = {};
  ASSIGN_OR_RETURN(relay::Client client,
                   relay::Client::Connect(folder_.fd(), relay::Role::kWatcher));
  ASSIGN_OR_RETURN(relay::LogReader reader,
                   relay::LogReader::Open(folder_.fd()));
  StdoutSink sink(on_stdout);
  const int64_t deadline = NowNanos() + kPatienceNanos;
  while (NowNanos() < deadline) {
    pollfd fd = {.fd = client.fd(), .events = client.events()};
    poll(&fd, 1, 1000);
    RETURN_IF_ERROR(client.OnPolled().status());
    RETURN_IF_ERROR(reader.Read(sink).status());
    if (!sink.damage().empty()) return absl::DataLossError(sink.damage());
    if (sink.done()) return absl::OkStatus();
  }
  return absl::DeadlineExceededError("follow the relay's log to its end");
}

absl::StatusOr<int64_t> BenchRelay::FirstNumber() {
  absl::StatusOr<int64_t> number = absl::InternalError("no line");
  RETURN_IF_ERROR(Follow([&](const relay::LogRecord& record) {
    number = ToNumber(record.payload);
    return false;
  }));
  return number;
}

absl::Status BenchRelay::End() {
  auto client = relay::Client::Connect(folder_.fd(), relay::Role::kDriver);
  if (absl::IsUnavailable(client.status())) return absl::OkStatus();
  RETURN_IF_ERROR(client.status());
  client->Send({.type = relay::FrameType::kCloseStdin, .key = "end"});
  const int64_t deadline = NowNanos() + kPatienceNanos;
  while (NowNanos() < deadline) {
    if (!client->OnPolled().ok()) return absl::OkStatus();
    pollfd fd = {.fd = client->fd(), .events = client->events()};
    poll(&fd, 1, 1000);
  }
  return absl::DeadlineExceededError("end a relay");
}

Child::Child(pid_t pid, UniqueFd in, UniqueFd out)
    : pid_(pid), in_(std::move(in)), out_(std::move(out)) {}

absl::StatusOr<Child> Child::Start(const Command& command) {
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const UniqueFd in_read(in[0]);
  UniqueFd in_write(in[1]);
  if (pipe2(out, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  UniqueFd out_read(out[0]);
  const UniqueFd out_write(out[1]);
  ASSIGN_OR_RETURN(const pid_t pid, Spawn(command, {{in[0], STDIN_FILENO},
                                                    {out[1], STDOUT_FILENO}}));
  return Child(pid, std::move(in_write), std::move(out_read));
}

Child::~Child() {
  if (!in_.ok()) return;  // The object was moved from.
  in_.Reset();
  out_.Reset();
  // Most exit by themselves now, but waiting for that would need a timeout.
  kill(pid_, SIGKILL);
  WaitFor(pid_);
}

absl::StatusOr<int64_t> Child::NextNumber() {
  size_t newline = said_.find('\n');
  while (newline == std::string::npos) {
    char chunk[256];
    pollfd readable = {.fd = out_.get(), .events = POLLIN};
    if (poll(&readable, 1, kPatienceMillis) <= 0) {
      return absl::DeadlineExceededError("hear of the agent");
    }
    const ssize_t n = read(out_.get(), chunk, sizeof(chunk));
    if (n <= 0) return absl::UnavailableError("the agent has ended");
    said_.append(chunk, static_cast<size_t>(n));
    newline = said_.find('\n');
  }
  const auto number = ToNumber(said_.substr(0, newline));
  said_.erase(0, newline + 1);
  return number;
}

absl::StatusOr<int64_t> PrivateBytes(const std::vector<pid_t>& pids) {
  int64_t kibibytes = 0;
  for (const pid_t pid : pids) {
    std::ifstream file(absl::StrCat("/proc/", pid, "/smaps_rollup"));
    if (!file) {
      return absl::NotFoundError(absl::StrCat("the memory of process ", pid));
    }
    for (std::string line; std::getline(file, line);) {
      absl::string_view rest = line;
      int64_t value = 0;
      if ((absl::ConsumePrefix(&rest, "Private_Clean:") ||
           absl::ConsumePrefix(&rest, "Private_Dirty:")) &&
          absl::SimpleAtoi(absl::StripSuffix(rest, "kB"), &value)) {
        kibibytes += value;
      }
    }
  }
  return kibibytes << 10;
}

}  // namespace troika::bench
