#include "bench/server_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "bench/generate.h"
#include "bench/relay_run.h"
#include "relay/log_format.h"
#include "testing/files.h"

namespace troika::bench {
namespace {

namespace fs = std::filesystem;

// Each check costs the server some time too.
constexpr useconds_t kLookMicros = 25'000;

std::string& ProgramFolder() {
  static std::string& folder = *new std::string;
  return folder;
}

std::string ProgramBeside(absl::string_view name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / std::string(name);
}

// Takes a name like "server/troika-server".
std::string BuiltProgram(absl::string_view name) {
  if (ProgramFolder().empty()) return ProgramBeside(absl::StrCat("../", name));
  return absl::StrCat(ProgramFolder(), "/", name);
}

// Whether a process has its working folder below this one.
bool SomebodyIn(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const fs::path cwd = fs::read_symlink(entry.path() / "cwd", error);
    if (!error && absl::StartsWith(cwd.string(), folder)) return true;
  }
  return false;
}

}  // namespace

std::string ServerAgentProgram() { return ProgramBeside("server_agent"); }

std::string PlanText(const AgentPlan& plan) {
  return absl::StrCat(plan.count, " ", plan.bytes, " ", plan.rate,
                      plan.then == AgentPlan::Then::kHang ? " hang" : " end");
}

void UsePrograms(std::string folder) { ProgramFolder() = std::move(folder); }

std::string NotReached(absl::Duration limit) {
  return absl::StrCat("not reached within ", absl::ToInt64Seconds(limit), " s");
}

absl::Status WaitUntil(absl::string_view what,
                       absl::FunctionRef<absl::StatusOr<bool>()> done) {
  const int64_t end = NowNanos() + int64_t{kPatienceMillis} * 1'000'000;
  while (NowNanos() < end) {
    RETURN_IF_ERROR(CheckStop());
    ASSIGN_OR_RETURN(const bool is_done, done());
    if (is_done) return absl::OkStatus();
    usleep(kLookMicros);
  }
  return absl::DeadlineExceededError(absl::StrCat("wait for ", what));
}

absl::StatusOr<std::unique_ptr<BenchServer>> BenchServer::Prepare(
    std::vector<std::string> flags) {
  std::unique_ptr<BenchServer> server(new BenchServer(std::move(flags)));
  std::error_code error;
  fs::create_directory(server->folder_.path() + "/work", error);
  if (error) return absl::InternalError(error.message());
  return server;
}

absl::StatusOr<std::unique_ptr<BenchServer>> BenchServer::Start(
    std::vector<std::string> flags) {
  ASSIGN_OR_RETURN(auto server, Prepare(std::move(flags)));
  RETURN_IF_ERROR(server->Launch());
  return server;
}

BenchServer::~BenchServer() {
  Kill();
  std::error_code error;
  fs::remove_all(folder_.path(), error);
  // Waits a few seconds even if we were told to stop.
  for (int i = 0; i < 1000 && SomebodyIn(folder_.path()); ++i) {
    usleep(kLookMicros);
  }
}

absl::Status BenchServer::Launch(const std::vector<std::string>& more_flags) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  const UniqueFd ready(ends[0]);
  UniqueFd tell(ends[1]);
  // If the descriptor is already 3, dup2 would leave it close-on-exec.
  if (tell.get() == 3) tell = UniqueFd(fcntl(3, F_DUPFD_CLOEXEC, 4));
  std::vector<std::string> command = {BuiltProgram("server/troika-server"),
                                      "--listen", "127.0.0.1:0",
                                      "--ready-fd=3"};
  command.insert(command.end(), flags_.begin(), flags_.end());
  command.insert(command.end(), more_flags.begin(), more_flags.end());
  const std::string& root = folder_.path();
  const UniqueFd errors(open((root + "/stderr").c_str(),
                             O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  ASSIGN_OR_RETURN(
      pid_,
      Spawn(command, {{tell.get(), 3}, {errors.get(), STDERR_FILENO}},
            {"PATH=/usr/bin:/bin", "HOME=" + root, "TROIKA_HOME=" + home(),
             "TROIKA_RELAY_BIN=" + BuiltProgram("relay/troika-relay"),
             "TROIKA_CODEX_BIN=" + ServerAgentProgram()}));
  tell.Reset();
  char told[256];
  pollfd readable = {.fd = ready.get(), .events = POLLIN};
  if (poll(&readable, 1, kPatienceMillis) <= 0) {
    return absl::DeadlineExceededError("start the server");
  }
  const ssize_t n = read(ready.get(), told, sizeof(told));
  const absl::string_view text(told, n > 0 ? static_cast<size_t>(n) : 0);
  if (text == "ok\n") return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("the server said: ", text));
}

void BenchServer::Kill() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  WaitFor(pid_);
  pid_ = 0;
}

absl::StatusOr<int64_t> BenchServer::ResidentBytes() const {
  return StatusBytes(pid_, "VmRSS:");
}

absl::StatusOr<int64_t> BenchServer::AnonymousBytes() const {
  return StatusBytes(pid_, "RssAnon:");
}

absl::StatusOr<int64_t> BenchServer::PeakBytes() const {
  return StatusBytes(pid_, "VmHWM:");
}

absl::StatusOr<HttpConnection> BenchServer::Connect() const {
  return HttpConnection::ToUnix(home() + "/server.sock");
}

absl::StatusOr<HttpConnection> BenchServer::ConnectTcp() const {
  ASSIGN_OR_RETURN(const std::string lock, ReadFile(home() + "/server.lock"));
  int port = 0;
  if (!absl::SimpleAtoi(lock.substr(lock.rfind(':') + 1), &port)) {
    return absl::InternalError(absl::StrCat("no port in the lock: ", lock));
  }
  return HttpConnection::ToLoopback(port);
}

absl::StatusOr<std::string> BenchServer::Token() const {
  ASSIGN_OR_RETURN(const std::string token, ReadFile(home() + "/token"));
  return std::string(absl::StripAsciiWhitespace(token));
}

absl::StatusOr<std::string> BenchServer::Get(absl::string_view path) const {
  ASSIGN_OR_RETURN(HttpConnection connection, Connect());
  return connection.Ask(RequestText("GET", path));
}

std::string BenchServer::CreateRequest(const AgentPlan& plan) const {
  return RequestText(
      "POST", "/api/v1/tasks",
      absl::StrFormat(
          R"({"harness":"codex","prompt":"measure","cwd":%s,"env":{)"
          R"("PATH":"/usr/bin:/bin","TROIKA_CODEX_BIN":%s,)"
          R"("TROIKA_BENCH_PLAN":"%s"}})",
          Quoted(folder_.path() + "/work"), Quoted(ServerAgentProgram()),
          PlanText(plan)));
}

absl::StatusOr<std::string> BenchServer::Create(const AgentPlan& plan) const {
  ASSIGN_OR_RETURN(HttpConnection connection, Connect());
  ASSIGN_OR_RETURN(const std::string task, connection.Ask(CreateRequest(plan)));
  return StringField(task, "id");
}

absl::StatusOr<int64_t> BenchServer::Metric(absl::string_view name) const {
  ASSIGN_OR_RETURN(const std::string page, Get("/metrics"));
  int64_t sum = 0;
  for (const absl::string_view line : absl::StrSplit(page, '\n')) {
    int64_t value = 0;
    if (absl::StartsWith(line, name) &&
        absl::SimpleAtoi(line.substr(line.rfind(' ') + 1), &value)) {
      sum += value;
    }
  }
  return sum;
}

absl::StatusOr<double> BenchServer::MetricValue(absl::string_view name) const {
  ASSIGN_OR_RETURN(const std::string page, Get("/metrics"));
  for (absl::string_view line : absl::StrSplit(page, '\n')) {
    double value = 0;
    if (absl::ConsumePrefix(&line, name) && absl::ConsumePrefix(&line, " ") &&
        absl::SimpleAtod(line, &value)) {
      return value;
    }
  }
  return absl::NotFoundError(absl::StrCat("the server has no metric ", name));
}

absl::Status BenchServer::WaitForMetric(absl::string_view name,
                                        int64_t value) const {
  return WaitUntil(absl::StrCat(name, " to be ", value),
                   [&]() -> absl::StatusOr<bool> {
                     ASSIGN_OR_RETURN(const int64_t now, Metric(name));
                     return now == value;
                   });
}

absl::Status BenchServer::WaitForState(const std::string& task,
                                       absl::string_view state) const {
  return WaitUntil(
      absl::StrCat(task, " to be ", state), [&]() -> absl::StatusOr<bool> {
        ASSIGN_OR_RETURN(const std::string json, Get("/api/v1/tasks/" + task));
        ASSIGN_OR_RETURN(const std::string now, StringField(json, "state"));
        return now == state;
      });
}

absl::Status AddEnded(BenchServer& server, int count) {
  RETURN_IF_ERROR(server.Launch());
  ASSIGN_OR_RETURN(const std::string first, server.Create({.count = 5}));
  RETURN_IF_ERROR(server.WaitForState(first, "done"));
  server.Kill();
  const std::string tasks = server.home() + "/tasks/";
  ASSIGN_OR_RETURN(const std::string log,
                   ReadFile(tasks + first + "/" + relay::kLogName));
  ASSIGN_OR_RETURN(const std::string environment,
                   ReadFile(tasks + first + "/env"));
  const std::string records = log.substr(log.find('\n') + 1);
  for (int i = 1; i < count; ++i) {
    // An id of the same length and time with a different end.
    std::string id = first;
    const std::string end = absl::StrFormat("%06d", i);
    id.replace(id.size() - end.size(), end.size(), end);
    const std::string folder = tasks + id;
    if (mkdir(folder.c_str(), 0700) != 0) {
      return absl::ErrnoToStatus(errno, absl::StrCat("make ", folder));
    }
    RETURN_IF_ERROR(WriteFile(folder + "/" + relay::kLogName,
                              relay::HeaderLine(id) + records));
    RETURN_IF_ERROR(WriteFile(folder + "/env", environment));
  }
  return server.Launch();
}

}  // namespace troika::bench
