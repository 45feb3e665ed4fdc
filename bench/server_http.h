// HTTP/1.1 as the server's benchmark needs it: no more than sockets, so that
// the client weighs little. All waits are bounded: what takes too long is an
// error.
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

// From then on, SIGINT and SIGTERM end what is measured, so that nothing that
// was started is left behind.
void WatchStop();
// Cancelled once such a signal came.
absl::Status CheckStop();

// Bytes of a request; `token` may be empty.
std::string RequestText(absl::string_view method, absl::string_view path,
                        absl::string_view body = "",
                        absl::string_view token = "");

// The value of a field of JSON that is a string; the first of that name.
absl::StatusOr<std::string> StringField(absl::string_view json,
                                        absl::string_view name);

// One connection, kept alive. Its socket does not block.
class HttpConnection {
 public:
  // `path` of a Unix socket.
  static absl::StatusOr<HttpConnection> ToUnix(const std::string& path);
  static absl::StatusOr<HttpConnection> ToLoopback(int port);

  int fd() const { return fd_.get(); }
  UniqueFd Release() { return std::move(fd_); }

  absl::Status Send(absl::string_view request);
  // Reads what there is. The body of a reply, once it is whole; an error where
  // its status is 400 or above.
  absl::StatusOr<std::optional<std::string>> Receive();
  // Sends, and waits for the reply's body.
  absl::StatusOr<std::string> Ask(absl::string_view request);

 private:
  explicit HttpConnection(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
  std::string in_;
};

// Asks `total` times, each connection again and again; returns the replies a
// second.
absl::StatusOr<double> AskMany(std::vector<HttpConnection>& connections,
                               absl::string_view request, int total);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_SERVER_HTTP_H_
