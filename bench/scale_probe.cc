#include "bench/scale_probe.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"

namespace troika::bench {
namespace {

constexpr double kEveryMillis = 10;

absl::StatusOr<UniqueFd> ListenOn(const std::string& path) {
  sockaddr_un address = {.sun_family = AF_UNIX};
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(absl::StrCat("path too long: ", path));
  }
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener.ok() ||
      bind(listener.get(), reinterpret_cast<sockaddr*>(&address),
           sizeof(address)) != 0 ||
      listen(listener.get(), 64) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("listen on ", path));
  }
  return listener;
}

void Watch(int poll, int fd) {
  epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
  epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
}

// Main function of the child.
[[noreturn]] void Echo(int listener) {
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  Watch(poll, listener);
  epoll_event events[16];
  char chunk[4096];
  for (;;) {
    const int ready = epoll_wait(poll, events, 16, -1);
    for (int i = 0; i < ready; ++i) {
      const int fd = events[i].data.fd;
      if (fd == listener) {
        const int client = accept(listener, nullptr, nullptr);
        if (client >= 0) Watch(poll, client);
        continue;
      }
      const ssize_t n = read(fd, chunk, sizeof(chunk));
      if (n <= 0 || send(fd, chunk, n, MSG_NOSIGNAL) != n) close(fd);
    }
  }
}

// Adds a latency, and those of the requests that waited behind it.
void AddLatency(double millis, std::vector<double>* all) {
  for (; millis > 0; millis -= kEveryMillis) all->push_back(millis);
}

// Sends one request at a time on a connection that is kept alive.
class Pinger {
 public:
  Pinger(std::string path, std::string request)
      : path_(std::move(path)), request_(std::move(request)) {}

  void Ping(std::vector<double>* latencies) {
    if (!connection_) {
      auto connected = HttpConnection::ToUnix(path_);
      if (!connected.ok()) return;
      connection_.emplace(*std::move(connected));
    }
    const int64_t begin = NowNanos();
    const bool answered = connection_->Ask(request_).ok();
    const double millis = static_cast<double>(NowNanos() - begin) * 1e-6;
    // A killed server does not reply, but long waits for it count.
    if (answered || millis > 1000) AddLatency(millis, latencies);
    if (!answered) connection_.reset();
  }

 private:
  const std::string path_;
  const std::string request_;
  std::optional<HttpConnection> connection_;
};

}  // namespace

absl::StatusOr<EchoServer> EchoServer::Start(const std::string& socket_path) {
  ASSIGN_OR_RETURN(const UniqueFd listener, ListenOn(socket_path));
  const pid_t pid = fork();
  if (pid < 0) return absl::ErrnoToStatus(errno, "fork");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    Echo(listener.get());
  }
  return EchoServer(pid, socket_path);
}

EchoServer::EchoServer(EchoServer&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      socket_path_(std::move(other.socket_path_)) {}

EchoServer::~EchoServer() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

HealthProbe::HealthProbe(const BenchServer* server, const EchoServer* echo)
    : server_path_(server->home() + "/server.sock"),
      echo_path_(echo->socket_path()),
      thread_([this] { Run(); }) {}

HealthProbe::~HealthProbe() { Stop(); }

HealthProbe::Latencies HealthProbe::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  return std::move(latencies_);
}

void HealthProbe::Run() {
  Pinger server(server_path_, RequestText("GET", "/healthz"));
  // The echo of this text is a reply without a body.
  Pinger echo(echo_path_, "HTTP/1.1 200 OK\r\nHost: localhost\r\n\r\n");
  while (!stop_ && CheckStop().ok()) {
    server.Ping(&latencies_.server_ms);
    echo.Ping(&latencies_.echo_ms);
    usleep(static_cast<useconds_t>(kEveryMillis * 1000));
  }
}

}  // namespace troika::bench
