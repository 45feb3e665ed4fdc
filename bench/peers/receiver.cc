// Receives the events of bench/peers/agent.cc as server-sent events.
//
//   receiver PORT PATH COUNT PAUSE [HEADER]
//
// Prints "ready" when the stream is open. Reads nothing for PAUSE milliseconds
// after the first event. Ends when it has seen the event with
// the number COUNT - 1, when nothing has come for 3 seconds after the first
// event, or after 100 seconds. Then prints a line of JSON: how many events came
// and how many are missing, the seconds from the first to the last, and the
// quantiles of their latency in microseconds. A time is taken after each read.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int kSilenceMillis = 3'000;
constexpr int kPatienceMillis = 100'000;

long long Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

class Receiver {
 public:
  explicit Receiver(long count) : count_(count) {}

  // Takes bytes of the stream that were read at this time.
  void Add(std::string_view bytes, long long now) {
    in_.append(bytes);
    size_t begin = 0;
    for (size_t end = in_.find('\n'); end != std::string::npos;
         begin = end + 1, end = in_.find('\n', begin)) {
      OnLine(std::string_view(in_).substr(begin, end - begin), now);
    }
    in_.erase(0, begin);
  }

  bool has_some() const { return !micros_.empty(); }
  bool complete() const { return next_ >= count_; }

  void Report() {
    std::sort(micros_.begin(), micros_.end());
    const auto quantile = [&](double share) {
      return micros_.empty()
                 ? 0
                 : micros_[static_cast<size_t>(
                       share * static_cast<double>(micros_.size() - 1))];
    };
    printf(
        "{\"received\":%zu,\"missing\":%ld,\"repeated\":%ld,"
        "\"seconds\":%.6f,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f}\n",
        micros_.size(), count_ - static_cast<long>(micros_.size()), repeated_,
        static_cast<double>(last_ - first_) * 1e-9, quantile(0.5),
        quantile(0.9), quantile(0.99));
  }

 private:
  void OnLine(std::string_view line, long long now) {
    // The state of a task may repeat the text of an event.
    if (line.rfind("event:", 0) == 0) is_state_ = line == "event: task";
    if (line.empty()) is_state_ = false;
    if (is_state_ || line.rfind("data:", 0) != 0) return;
    const size_t at = line.find("\"#");
    const size_t sent = line.find(" sent=");
    if (at == std::string_view::npos || sent == std::string_view::npos) return;
    const long number = atol(std::string(line.substr(at + 2, 20)).c_str());
    if (number < next_) {
      ++repeated_;
      return;
    }
    next_ = number + 1;
    const long long nanos =
        atoll(std::string(line.substr(sent + 6, 24)).c_str());
    micros_.push_back(static_cast<double>(now - nanos) * 1e-3);
    if (micros_.size() == 1) first_ = now;
    last_ = now;
  }

  const long count_;
  std::string in_;  // The incomplete line.
  bool is_state_ = false;
  long next_ = 0;
  long repeated_ = 0;
  std::vector<double> micros_;
  long long first_ = 0;
  long long last_ = 0;
};

// Takes the framing of a chunked body away.
class ChunkDecoder {
 public:
  std::string Decode(std::string_view bytes) {
    std::string body;
    in_.append(bytes);
    while (!in_.empty()) {
      if (left_ > 0) {
        const size_t n = std::min(left_, in_.size());
        body.append(in_, 0, n);
        in_.erase(0, n);
        left_ -= n;
      } else {
        // The end of the last chunk, or the size of the next.
        const size_t end = in_.find("\r\n");
        if (end == std::string::npos) break;
        left_ = strtoul(in_.substr(0, end).c_str(), nullptr, 16);
        in_.erase(0, end + 2);
      }
    }
    return body;
  }

 private:
  std::string in_;
  size_t left_ = 0;  // Bytes that are left of the chunk.
};

int Connect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) !=
      0) {
    perror("receiver: connect");
    exit(1);
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

// Sends the request, and returns all bytes that came with the reply's head.
std::string Open(int fd, const std::string& request) {
  if (write(fd, request.data(), request.size()) !=
      static_cast<ssize_t>(request.size())) {
    perror("receiver: write");
    exit(1);
  }
  std::string in;
  char bytes[4096];
  while (in.find("\r\n\r\n") == std::string::npos) {
    const ssize_t n = read(fd, bytes, sizeof(bytes));
    if (n <= 0) exit(1);
    in.append(bytes, static_cast<size_t>(n));
  }
  if (in.find(" 200 ") == std::string::npos) {
    fprintf(stderr, "receiver: the server answers %s\n", in.c_str());
    exit(1);
  }
  return in;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: receiver PORT PATH COUNT PAUSE [HEADER]\n");
    return 2;
  }
  const int fd = Connect(atoi(argv[1]));
  Receiver receiver(atol(argv[3]));
  const std::string head =
      Open(fd, std::string("GET ") + argv[2] + " HTTP/1.1\r\nHost: 127.0.0.1:" +
                   argv[1] + "\r\nAccept: text/event-stream\r\n" +
                   (argc > 5 ? std::string(argv[5]) + "\r\n" : "") + "\r\n");
  puts("ready");
  fflush(stdout);
  const bool chunked =
      strcasestr(head.c_str(), "\r\ntransfer-encoding: chunked") != nullptr;
  ChunkDecoder decoder;
  const auto add = [&](std::string_view read, long long now) {
    receiver.Add(chunked ? decoder.Decode(read) : std::string(read), now);
  };
  add(std::string_view(head).substr(head.find("\r\n\r\n") + 4), Now());
  static char bytes[256 << 10];
  useconds_t pause = static_cast<useconds_t>(atoi(argv[4])) * 1000;
  const long long end = Now() + kPatienceMillis * 1'000'000LL;
  while (!receiver.complete() && Now() < end) {
    pollfd readable = {.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = poll(&readable, 1, kSilenceMillis);
    if (ready == 0 && receiver.has_some()) break;
    if (ready <= 0) continue;
    const ssize_t n = read(fd, bytes, sizeof(bytes));
    const long long now = Now();
    if (n <= 0) break;
    add({bytes, static_cast<size_t>(n)}, now);
    if (receiver.has_some()) usleep(std::exchange(pause, 0));
  }
  receiver.Report();
  return 0;
}
