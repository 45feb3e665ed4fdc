// The Mcp-Session-Id of a session: what its client has declared, and a random
// part. The server keeps no sessions, so they live on after its restart.
#ifndef TROIKA_MCP_SESSION_ID_H_
#define TROIKA_MCP_SESSION_ID_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "mcp/protocol.h"

namespace troika::mcp {

// `random` makes ids of equal clients differ.
std::string SessionId(const Client& client, absl::string_view random);

// Nothing if `id` is none that SessionId() could have made. Anybody can make
// such an id: it proves nothing but what the client wants to be.
std::optional<Client> ReadSessionId(absl::string_view id);

}  // namespace troika::mcp

#endif  // TROIKA_MCP_SESSION_ID_H_
