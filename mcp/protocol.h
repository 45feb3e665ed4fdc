// The Model Context Protocol as a server speaks it, without I/O.
//
// There are two generations. Up to 2025-11-25 a client opens a session with
// `initialize`, which says what it can do, and the server may send it requests.
// From 2026-07-28 on there is no session: every request says in its `_meta` who
// sends it. Both come over the same connection, so the generation is decided
// for each message.
//
//   Client client = session_client;
//   if (auto fault = ReadClient(message, &client)) return Refuse(*fault);
//   if (client.generation == Generation::kStateless) …
#ifndef TROIKA_MCP_PROTOCOL_H_
#define TROIKA_MCP_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "rpc/message.h"

namespace troika::mcp {

inline constexpr absl::string_view kStatelessVersion = "2026-07-28";

// The versions that sessions have, newest first.
absl::Span<const absl::string_view> SessionVersions();
bool IsSessionVersion(absl::string_view version);

// Codes of errors that JSON-RPC does not define.
inline constexpr int64_t kParseError = -32700;
inline constexpr int64_t kNoSuchSession = -32001;
inline constexpr int64_t kNoSuchResource = -32002;  // Of sessions only.
inline constexpr int64_t kHeaderMismatch = -32020;
inline constexpr int64_t kMissingCapability = -32021;
inline constexpr int64_t kUnsupportedVersion = -32022;

enum class Generation { kSession, kStateless };

// What a client says about itself.
struct Client {
  Generation generation = Generation::kSession;
  std::string version;  // Of the protocol.
  std::string name;
  bool elicitation = false;  // Its user can be asked by forms.
  bool tasks = false;        // It takes a task instead of a result.

  bool operator==(const Client&) const = default;
};

// Why a message is refused. Over HTTP the reply has `http_status`.
struct Fault {
  rpc::Error error;
  int http_status = 200;
};

// Reads the sender of a request or notification from its `_meta`. Leaves
// `client` as it is if there is none, because the message then belongs to the
// session that `client` describes.
std::optional<Fault> ReadClient(const rpc::Message& message, Client* client);

// The client that sends `initialize` with these parameters, and the version
// that it is answered with.
Client ReadInitialize(json::Value params);

// The headers of HTTP that repeat parts of a message, for proxies.
struct MirrorHeaders {
  absl::string_view version;  // MCP-Protocol-Version
  absl::string_view method;   // Mcp-Method
  absl::string_view name;     // Mcp-Name
};

// Refuses a message whose `_meta` has another version than its header. To be
// asked before ReadClient(), which refuses versions that are not known.
std::optional<Fault> CheckVersionHeader(const rpc::Message& message,
                                        absl::string_view version);
// Refuses a message that is not what its headers say.
std::optional<Fault> CheckHeaders(const rpc::Message& message,
                                  const Client& client,
                                  const MirrorHeaders& headers);

// The token under which the client wants to hear of the request's progress, as
// JSON; empty if it does not.
std::string ProgressToken(const rpc::Message& message);
std::string ProgressLine(absl::string_view token, int64_t progress,
                         absl::string_view text);

// Begins a result. The stateless generation marks it as complete.
json::ObjectWriter BeginResult(const Client& client);
// Adds how long a list may be kept, which the stateless generation requires.
void AddCaching(const Client& client, json::ObjectWriter* result);

// A server as it introduces itself.
struct ServerInfo {
  std::string version;
  std::string instructions;
};
std::string InitializeResult(const Client& client, const ServerInfo& server);
std::string DiscoverResult(const ServerInfo& server);

}  // namespace troika::mcp

#endif  // TROIKA_MCP_PROTOCOL_H_
