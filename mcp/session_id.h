// The Mcp-Session-Id of a session: what its client has declared, and a random
// part. The server keeps no sessions, so they live on after its restart.
#ifndef TROIKA_MCP_SESSION_ID_H_
#define TROIKA_MCP_SESSION_ID_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "mcp/protocol.h"

namespace troika::mcp {

struct Session {
  Client client;
  std::string random;  // Makes sessions of equal clients differ.

  bool operator==(const Session&) const = default;
};

std::string SessionId(const Session& session);

// Nothing if `id` is none that SessionId() could have made. Anybody can make
// such an id: it proves nothing but what the client wants to be.
std::optional<Session> ReadSessionId(absl::string_view id);

}  // namespace troika::mcp

#endif  // TROIKA_MCP_SESSION_ID_H_
