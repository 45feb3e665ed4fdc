#include "bench/server_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/relay_run.h"

namespace troika::bench {
namespace {

volatile sig_atomic_t stopped = 0;

absl::Status WaitFor(int fd, short events) {
  pollfd ready = {.fd = fd, .events = events};
  const int n = poll(&ready, 1, kPatienceMillis);
  RETURN_IF_ERROR(CheckStop());
  if (n > 0 || (n < 0 && errno == EINTR)) return absl::OkStatus();
  return absl::DeadlineExceededError("wait for the server");
}

absl::StatusOr<UniqueFd> Connect(const sockaddr* address, socklen_t size,
                                 absl::string_view what) {
  UniqueFd fd(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.ok()) return absl::ErrnoToStatus(errno, "socket");
  if (connect(fd.get(), address, size) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("connect ", what));
  }
  if (fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, "fcntl");
  }
  return fd;
}

}  // namespace

void WatchStop() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stopped = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

absl::Status CheckStop() {
  return stopped != 0 ? absl::CancelledError("told to stop") : absl::OkStatus();
}

std::string RequestText(absl::string_view method, absl::string_view path,
                        absl::string_view body, absl::string_view token) {
  std::string text =
      absl::StrCat(method, " ", path, " HTTP/1.1\r\nHost: localhost\r\n");
  if (!token.empty()) {
    absl::StrAppend(&text, "Authorization: Bearer ", token, "\r\n");
  }
  if (!body.empty()) {
    absl::StrAppend(&text, "Content-Type: application/json\r\nContent-Length: ",
                    body.size(), "\r\n");
  }
  absl::StrAppend(&text, "\r\n", body);
  return text;
}

absl::StatusOr<std::string> StringField(absl::string_view json,
                                        absl::string_view name) {
  const std::string key = absl::StrCat("\"", name, "\":\"");
  const size_t at = json.find(key);
  if (at == absl::string_view::npos) {
    return absl::InternalError(
        absl::StrCat("no ", name, " in the reply ", json.substr(0, 200)));
  }
  json.remove_prefix(at + key.size());
  return std::string(json.substr(0, json.find('"')));
}

absl::StatusOr<HttpConnection> HttpConnection::ToUnix(const std::string& path) {
  sockaddr_un address = {.sun_family = AF_UNIX};
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the socket's path is too long: ", path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ASSIGN_OR_RETURN(UniqueFd fd, Connect(reinterpret_cast<sockaddr*>(&address),
                                        sizeof(address), path));
  return HttpConnection(std::move(fd));
}

absl::StatusOr<HttpConnection> HttpConnection::ToLoopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSIGN_OR_RETURN(UniqueFd fd,
                   Connect(reinterpret_cast<sockaddr*>(&address),
                           sizeof(address), absl::StrCat("port ", port)));
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return HttpConnection(std::move(fd));
}

absl::Status HttpConnection::Send(absl::string_view request) {
  while (!request.empty()) {
    const ssize_t n =
        send(fd_.get(), request.data(), request.size(), MSG_NOSIGNAL);
    if (n > 0) {
      request.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      RETURN_IF_ERROR(WaitFor(fd_.get(), POLLOUT));
    } else if (errno != EINTR) {
      return absl::ErrnoToStatus(errno, "send a request");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> HttpConnection::Receive() {
  char chunk[64 << 10];
  const ssize_t n = read(fd_.get(), chunk, sizeof(chunk));
  if (n == 0) return absl::UnavailableError("the server closed a connection");
  if (n < 0 && errno != EAGAIN && errno != EINTR) {
    return absl::ErrnoToStatus(errno, "read a reply");
  }
  if (n > 0) in_.append(chunk, static_cast<size_t>(n));
  const size_t head = in_.find("\r\n\r\n");
  if (head == std::string::npos) return std::nullopt;
  constexpr absl::string_view kLength = "Content-Length: ";
  const size_t at = in_.find(kLength.data(), 0, kLength.size());
  size_t length = 0;
  if (at < head) length = strtoull(&in_[at + kLength.size()], nullptr, 10);
  const size_t size = head + 4 + length;
  if (in_.size() < size) return std::nullopt;
  std::string body = in_.substr(head + 4, length);
  const int status = atoi(in_.c_str() + strlen("HTTP/1.1 "));
  in_.erase(0, size);
  if (status >= 400) {
    return absl::InternalError(absl::StrCat("status ", status, ": ", body));
  }
  return body;
}

absl::StatusOr<std::string> HttpConnection::Ask(absl::string_view request) {
  RETURN_IF_ERROR(Send(request));
  for (;;) {
    RETURN_IF_ERROR(WaitFor(fd_.get(), POLLIN));
    ASSIGN_OR_RETURN(std::optional<std::string> body, Receive());
    if (body) return *std::move(body);
  }
}

absl::StatusOr<double> AskMany(std::vector<HttpConnection>& connections,
                               absl::string_view request, int total) {
  const int64_t begin = NowNanos();
  std::vector<pollfd> fds;
  int sent = 0;
  for (HttpConnection& connection : connections) {
    RETURN_IF_ERROR(connection.Send(request));
    ++sent;
    fds.push_back({.fd = connection.fd(), .events = POLLIN});
  }
  for (int done = 0; done < total;) {
    const int ready = poll(fds.data(), fds.size(), kPatienceMillis);
    RETURN_IF_ERROR(CheckStop());
    if (ready <= 0) {
      return absl::DeadlineExceededError("wait for replies");
    }
    for (size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].revents == 0) continue;
      ASSIGN_OR_RETURN(const auto body, connections[i].Receive());
      if (!body) continue;
      ++done;
      if (sent == total) continue;
      ++sent;
      RETURN_IF_ERROR(connections[i].Send(request));
    }
  }
  return total / (static_cast<double>(NowNanos() - begin) * 1e-9);
}

}  // namespace troika::bench
