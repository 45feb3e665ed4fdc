// A minimal HTTP/1.1 client for the server's benchmark, which hardly costs any
// time itself. All waits are bounded: exceeding the limit is an error.
#ifndef TROIKA_BENCH_SERVER_HTTP_H_
#define TROIKA_BENCH_SERVER_HTTP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"

namespace troika::bench {

inline constexpr int kPatienceMillis = 120'000;

// Makes SIGINT and SIGTERM end the benchmark in an orderly way, so that no
// process is left behind.
void WatchStop();
// Returns Cancelled after such a signal.
absl::Status CheckStop();

// Returns the bytes of a request; `token` may be empty.
std::string RequestText(absl::string_view method, absl::string_view path,
                        absl::string_view body = "",
                        absl::string_view token = "");

// Returns the first JSON string field of this name.
absl::StatusOr<std::string> StringField(absl::string_view json,
                                        absl::string_view name);

// A connection that is kept alive. Its socket does not block.
class HttpConnection {
 public:
  // `path` is that of a Unix socket.
  static absl::StatusOr<HttpConnection> ToUnix(const std::string& path);
  static absl::StatusOr<HttpConnection> ToLoopback(int port);

  int fd() const { return fd_.get(); }
  UniqueFd Release() { return std::move(fd_); }

  absl::Status Send(absl::string_view request);
  // Reads the available bytes. Returns the reply's body once it is complete, or
  // an error if its status is 400 or above.
  absl::StatusOr<std::optional<std::string>> Receive();
  // Sends a request and waits for the reply's body.
  absl::StatusOr<std::string> Ask(absl::string_view request);

 private:
  explicit HttpConnection(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
  std::string in_;
};

// Sends `total` requests over all connections; returns the replies per second.
absl::StatusOr<double> AskMany(std::vector<HttpConnection>& connections,
                               absl::string_view request, int total);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SERVER_HTTP_H_
