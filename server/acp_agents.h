// Finds the program of an agent that speaks the Agent Client Protocol, by what
// a request names as its harness:
//
//   acp:goose acp     a command, from the owner only
//   goose             [acp.goose] of the configuration; from an agent only if
//                     it has agents = true
//
// So no agent chooses a program that its owner has not chosen for it.
#ifndef TROIKA_SERVER_ACP_AGENTS_H_
#define TROIKA_SERVER_ACP_AGENTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/config.h"
#include "server/caller.h"
#include "task/request.h"

namespace troika {

// Whether `agent` (TaskRequest::agent) is a command and not a name.
bool IsAcpCommand(absl::string_view agent);

// Splits a command at spaces, as a shell does; quotes and backslashes keep
// them. Nothing is expanded. InvalidArgument if a quote is not closed.
absl::StatusOr<std::vector<std::string>> SplitCommand(absl::string_view text);

// Sets options.acp_command by request->agent. The configuration is not needed
// for a command. InvalidArgument if there is no such agent, PermissionDenied if
// the caller may not start it.
absl::Status ResolveAcpAgent(const Caller& caller, const Config& config,
                             TaskRequest* request);

}  // namespace troika

#endif  // TROIKA_SERVER_ACP_AGENTS_H_
