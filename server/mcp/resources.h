// The transcripts of tasks as resources of MCP: troika://task/ID.
#ifndef TROIKA_SERVER_MCP_RESOURCES_H_
#define TROIKA_SERVER_MCP_RESOURCES_H_

#include <string>

#include "agent/message.h"
#include "base/json.h"
#include "server/mcp/service.h"
#include "server/open_tasks.h"
#include "server/routes.h"

namespace troika {

// These finish the request, within the call or later. `api` is borrowed.
void ListResources(const ApiTools& api, const McpRequest& request,
                   json::Value params);
void ListResourceTemplates(const McpRequest& request);
void ReadResource(const ApiTools& api, const McpRequest& request,
                  json::Value params);

// Calls back with the events of the task that the URI names, or NotFound.
void FindTranscript(const ApiTools& api, absl::string_view uri,
                    OpenTasks::StreamCallback found);

// A message as a transcript has it, in lines; empty if it is left out.
std::string TranscriptText(const Message& message);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_RESOURCES_H_
