// Passes the messages of an MCP client on stdio to the server, and the server's
// messages back (docs/mcp.md).
//
// Each message is a request of its own, so that many calls run at once. If the
// server is killed, calls that have no result are sent again with the same key,
// so that none of them counts twice.
//
//   McpPipe pipe({.address = address, .write = …});
//   pipe.OnLine(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
//   while (…) RETURN_IF_ERROR(pipe.Advance(&fds, absl::Seconds(1)));
#ifndef TROIKA_CLIENT_MCP_PIPE_H_
#define TROIKA_CLIENT_MCP_PIPE_H_

#include <poll.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "client/address.h"
#include "client/curl.h"
#include "client/sse.h"
#include "rpc/message.h"

namespace troika::client {

struct McpPipeOptions {
  ServerAddress address;
  // Starts a server if none listens. Without it such a call fails.
  std::function<absl::Status()> start;
  Environment environment;  // For the tasks that the client begins.
  std::string cwd;
  std::string toolset;
  // Writes a line, without its end, to the client.
  std::function<absl::Status(absl::string_view)> write;
  enum class Level { kDebug, kInfo, kWarn, kError };
  std::function<void(Level, absl::string_view)> log;
};

// Not thread-safe.
class McpPipe {
 public:
  using Level = McpPipeOptions::Level;
  // A longer line is refused.
  static constexpr int64_t kMaxLine = int64_t{16} << 20;

  explicit McpPipe(McpPipeOptions options);
  ~McpPipe();
  McpPipe(const McpPipe&) = delete;
  McpPipe& operator=(const McpPipe&) = delete;

  // Takes a line of the client, without its end.
  absl::Status OnLine(absl::string_view line);
  // Refuses a line that is too long.
  absl::Status OnLongLine(int64_t size);
  // Sends and receives what can be, after waiting until something happens, one
  // of `fds` is ready or `at_most` has passed. Sets their `revents`. An error
  // means that the client is gone.
  absl::Status Advance(std::vector<pollfd>* fds, absl::Duration at_most);
  // Whether the client waits for a reply.
  bool waits() const;
  // Tells the server that the client is gone. Takes a second at most.
  void End();

 private:
  struct Transfer {
    enum class Kind { kMessage, kStream };
    Kind kind = Kind::kMessage;
    rpc::Id id;  // Of a request; else without value.
    std::string method;
    std::string body;
    CurlRequest request;
    bool connected = false;
    std::string received;
    std::string session;  // Mcp-Session-Id of the reply.
    SseParser parser;
    bool answered = false;  // The client has the reply.
    int tries = 0;
    absl::Time retry_at = absl::InfinitePast();
  };

  static size_t OnBody(char* bytes, size_t size, size_t count, void* user);
  static size_t OnHeader(char* bytes, size_t size, size_t count, void* user);

  std::string Envelope(const rpc::Message& message, absl::string_view line);
  void Connect(Transfer& transfer);
  void Disconnect(Transfer& transfer);
  void ConnectDue();
  absl::Status Deliver(Transfer& transfer);
  // Returns whether the transfer is over.
  absl::StatusOr<bool> OnEnd(Transfer& transfer, CURLcode code);
  absl::StatusOr<bool> OnLost(Transfer& transfer, CURLcode code);
  absl::Status Refuse(const rpc::Id& id, int64_t code,
                      absl::string_view message);
  void OpenStream();
  void Cancel(const rpc::Id& id);

  const McpPipeOptions options_;
  const std::string id_;
  int64_t next_key_ = 1;
  std::string session_;  // What `initialize` was answered with.
  CurlMulti multi_;
  std::list<std::unique_ptr<Transfer>> transfers_;
};

}  // namespace troika::client

#endif  // TROIKA_CLIENT_MCP_PIPE_H_
