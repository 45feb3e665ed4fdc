// Handlers that pass the requests of MCP clients on.
#include "server/routes.h"

namespace troika {

absl::StatusOr<Deferred> McpPost(const ApiTools& api, const Call& call) {
  return api.mcp->Post(call);
}

absl::StatusOr<Deferred> McpPipe(const ApiTools& api, const Call& call) {
  return api.mcp->PostFromPipe(call);
}

absl::StatusOr<Deferred> McpGet(const ApiTools& api, const Call& call) {
  return api.mcp->Get(call);
}

absl::StatusOr<Deferred> McpDelete(const ApiTools& api, const Call& call) {
  return api.mcp->Delete(call);
}

}  // namespace troika
