// Shared by the commands that deal with the CLIs' own sessions.
#ifndef TROIKA_CLI_COMMANDS_SESSIONS_H_
#define TROIKA_CLI_COMMANDS_SESSIONS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/discovery/environment.h"
#include "cli/commands/commands.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// Adds the variables that say where CLIs keep their sessions.
void AddSessionVariables(
    const Environment& environment,
    google::protobuf::Map<std::string, std::string>* variables);

// Finds a session by its whole id, of that harness if it is not empty. NotFound
// if there is none; InvalidArgument if several harnesses have one with that id.
absl::StatusOr<v1::Session> FindSession(Server& server, const std::string& id,
                                        const std::string& harness = "");

// Returns an error if a new task can't continue the session. It says what to do
// instead.
absl::Status CheckResumable(const v1::Session& session);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_SESSIONS_H_
