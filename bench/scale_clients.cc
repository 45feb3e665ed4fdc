// Measures clients without the token, and a request that names a huge file.
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "bench/generate.h"
#include "bench/relay_run.h"
#include "bench/scale_measures.h"
#include "bench/server_http.h"

namespace troika::bench {
namespace {

constexpr int kIdle = 4200;  // More than the server accepts.
constexpr int kBodies = 100;
constexpr size_t kBodyBytes = 24 << 20;
constexpr absl::Duration kBodiesLimit = absl::Seconds(15);
constexpr int kOwnerRequests = 20;
constexpr int64_t kSchemaBytes = 3'900'000'000;
constexpr absl::Duration kSchemaLimit = absl::Seconds(90);

void RaiseDescriptors() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 20'000);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Returns the longest time that the owner waits for a list, with a new
// connection each time.
absl::StatusOr<double> OwnerMillis(const BenchServer& server) {
  double longest = 0;
  for (int i = 0; i < kOwnerRequests; ++i) {
    const int64_t begin = NowNanos();
    RETURN_IF_ERROR(server.Get("/api/v1/tasks").status());
    longest = std::max(longest, MillisSince(begin));
    // After this wait, the server may have dropped the other connections.
    if (longest > 1000) break;
  }
  return longest;
}

// Announces large bodies without a token and sends them except for the end, as
// far as the server reads them.
void SendBodies(const BenchServer& server, std::vector<HttpConnection>* all) {
  const std::string head = absl::StrCat(
      "POST /api/v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
      "application/json\r\nContent-Length: ",
      kBodyBytes, "\r\n\r\n");
  for (int i = 0; i < kBodies; ++i) {
    auto connection = server.ConnectTcp();
    if (!connection.ok() || !connection->Send(head).ok()) continue;
    all->push_back(*std::move(connection));
  }
  const std::string chunk(64 << 10, ' ');
  std::vector<size_t> left(all->size(), kBodyBytes - chunk.size());
  const int64_t begin = NowNanos();
  bool any = true;
  while (any && CheckStop().ok() &&
         MillisSince(begin) < absl::ToDoubleMilliseconds(kBodiesLimit)) {
    any = false;
    for (size_t i = 0; i < all->size(); ++i) {
      const ssize_t n = send((*all)[i].fd(), chunk.data(),
                             std::min(left[i], chunk.size()), MSG_NOSIGNAL);
      if (n > 0) left[i] -= static_cast<size_t>(n);
      if (n < 0 && errno != EAGAIN) left[i] = 0;
      any = any || left[i] > 0;
    }
  }
}

}  // namespace

absl::Status ReportStrangers(const ScaleOptions& options) {
  RaiseDescriptors();
  {
    ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
    std::vector<HttpConnection> idle;
    for (int i = 0; i < kIdle; ++i) {
      ASSIGN_OR_RETURN(HttpConnection one, server->ConnectTcp());
      idle.push_back(std::move(one));
    }
    ASSIGN_OR_RETURN(const double owner, OwnerMillis(*server));
    PrintScale(options, {.metric = "strangers.idle.owner_waits",
                         .value = owner,
                         .unit = "ms",
                         .at_most = 100});
  }
  ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
  std::vector<HttpConnection> bodies;
  SendBodies(*server, &bodies);
  ASSIGN_OR_RETURN(const double owner, OwnerMillis(*server));
  ASSIGN_OR_RETURN(const int64_t peak, server->PeakBytes());
  PrintScale(options, {.metric = "strangers.bodies.owner_waits",
                       .value = owner,
                       .unit = "ms",
                       .at_most = 100});
  PrintScale(options, {.metric = "strangers.bodies.peak_memory",
                       .value = Megabytes(peak),
                       .unit = "MB",
                       .at_most = 60});
  return absl::OkStatus();
}

absl::Status ReportSchema(const ScaleOptions& options) {
  ASSIGN_OR_RETURN(const auto server, BenchServer::Start({}));
  const std::string path = server->folder() + "/schema.json";
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!file.ok() ||
      ftruncate(file.get(),
                options.quick() ? kSchemaBytes / 10 : kSchemaBytes) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("make ", path));
  }
  // Claude's command line contains the text of the schema.
  const std::string request = RequestText(
      "POST", "/api/v1/tasks",
      absl::StrCat(R"({"harness":"claude","prompt":"measure","cwd":)",
                   Quoted(server->folder() + "/work"),
                   R"(,"options":{"outputSchema":)", Quoted(path),
                   R"(},"env":{"PATH":"/usr/bin:/bin","TROIKA_CLAUDE_BIN":)",
                   Quoted(ServerAgentProgram()), "}}"));
  ASSIGN_OR_RETURN(HttpConnection connection, server->Connect());
  const int64_t begin = NowNanos();
  RETURN_IF_ERROR(connection.Send(request));
  Figure refused = {.metric = "schema.refused",
                    .unit = "ms",
                    .missing = NotReached(kSchemaLimit),
                    .at_most = 500};
  while (MillisSince(begin) < absl::ToDoubleMilliseconds(kSchemaLimit)) {
    RETURN_IF_ERROR(CheckStop());
    const auto reply = connection.Receive();
    if (!reply.ok()) {
      refused.value = MillisSince(begin);
      refused.missing.clear();
      break;
    }
    if (*reply) {
      refused.missing = "accepted";
      break;
    }
    usleep(5'000);
  }
  PrintScale(options, refused);
  ASSIGN_OR_RETURN(const int64_t peak, server->PeakBytes());
  PrintScale(options, {.metric = "schema.peak_memory",
                       .value = Megabytes(peak),
                       .unit = "MB",
                       .at_most = 60});
  return absl::OkStatus();
}

}  // namespace troika::bench
