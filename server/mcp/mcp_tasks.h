// The tasks extension of the stateless generation: a client that declares it
// gets a task instead of waiting in a call. Ours stand for *_status of a
// session, and need no memory: their ids say what they are about.
#ifndef TROIKA_SERVER_MCP_MCP_TASKS_H_
#define TROIKA_SERVER_MCP_MCP_TASKS_H_

#include <string>

#include "dto/troika.pb.h"
#include "rpc/message.h"
#include "server/mcp/service.h"

namespace troika {

// The result of a call that becomes a task: it ends when the session needs
// something or its turn ends.
std::string NewMcpTask(const v1::Task& task);

void GetMcpTask(McpService& service, const McpRequest& request,
                const rpc::Message& message);
// Answers what a task asks.
void UpdateMcpTask(McpService& service, const McpRequest& request,
                   const rpc::Message& message);
// Ends nothing: the session does not belong to the call that showed it.
void CancelMcpTask(const McpRequest& request, const rpc::Message& message);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_MCP_TASKS_H_
