// What the commands that talk with the server share.
//
//   int Run(absl::Span<const std::string> args, const Io& io) {
//     return RunOnServer(kStopCommand, args, io, ReadLine, Stop);
//   }
//
// where ReadLine makes a struct of the arguments, and Stop acts on it:
//
//   absl::StatusOr<Line> ReadLine(absl::Span<const std::string> args);
//   absl::StatusOr<int> Stop(const Line& line, Server& server, const Io& io);
#ifndef TROIKA_CLI_COMMANDS_SERVER_H_
#define TROIKA_CLI_COMMANDS_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "cli/commands/command.h"
#include "cli/io.h"
#include "client/api.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct Server {
  Environment environment;  // This process's own.
  client::ApiClient api;
};

// The server that the environment names. It is asked nothing yet; the first
// request starts it where it can be started.
absl::StatusOr<std::unique_ptr<Server>> FindServer();

// The harnesses as `run` would find them: with this process's environment.
absl::StatusOr<v1::ListHarnessesResponse> ProbeHarnesses(Server& server);

// Says what is wrong; kExitUsage where what was asked for is at fault, and
// kExitFailure where it is the machine.
int FailWith(const Io& io, const absl::Status& error);

// Writes "troika: TEXT" to io.err.
void Note(const Io& io, absl::string_view text);

// A line of JSON, as the API has it, with its end.
std::string JsonLine(const google::protobuf::Message& message);
int PrintJson(const Io& io, const google::protobuf::Message& message);

// A path as seen from the current folder; an empty one stays so.
std::string FromHere(const std::string& path);

// For requests that may arrive twice and shall count once.
std::string NewIdempotencyKey();

// `act` returns the exit code.
template <typename Read, typename Act>
int RunOnServer(const Command& command, absl::Span<const std::string> args,
                const Io& io, Read read, Act act) {
  const auto line = read(args);
  if (!line.ok()) return UsageError(io, command, line.status().message());
  const absl::StatusOr<std::unique_ptr<Server>> server = FindServer();
  if (!server.ok()) return FailWith(io, server.status());
  const absl::StatusOr<int> code = act(*line, **server, io);
  return code.ok() ? *code : FailWith(io, code.status());
}

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_SERVER_H_
