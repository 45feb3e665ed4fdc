// The commands of `troika`; related ones share a file.
#ifndef TROIKA_CLI_COMMANDS_COMMANDS_H_
#define TROIKA_CLI_COMMANDS_COMMANDS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "cli/io.h"
#include "client/api.h"
#include "dto/troika.pb.h"

namespace troika::cli {

using Args = absl::Span<const std::string>;

struct Command {
  absl::string_view name;
  absl::string_view summary;  // For the list of commands, without a full stop.
  absl::string_view help;     // Printed by `troika help NAME`.
  // `args` come after the command's name. Returns the exit code.
  int (*run)(Args args, const Io& io);
  // The command handles --help itself, because its arguments can be another
  // command's.
  bool reads_help = false;
};

extern const Command kAttachCommand;
extern const Command kConfigCommand;
extern const Command kDashboardCommand;
extern const Command kDiffCommand;
extern const Command kDoctorCommand;
extern const Command kForkCommand;
extern const Command kHarnessesCommand;
extern const Command kHooksCommand;
extern const Command kImportCommand;
extern const Command kInterruptCommand;
extern const Command kLogCommand;
extern const Command kMcpCommand;
extern const Command kOpenCommand;
extern const Command kParseCommand;
extern const Command kPolicyCommand;
extern const Command kQueueCommand;
extern const Command kRespondCommand;
extern const Command kResumeCommand;
extern const Command kRmCommand;
extern const Command kRunCommand;
extern const Command kSendCommand;
extern const Command kServeCommand;
extern const Command kServerCommand;
extern const Command kSessionsCommand;
extern const Command kShowCommand;
extern const Command kStopCommand;
extern const Command kTailCommand;
extern const Command kTasksCommand;
extern const Command kTokenCommand;
extern const Command kUsageCommand;
extern const Command kVersionCommand;
extern const Command kWaitCommand;
extern const Command kWhyCommand;

// All commands, in the order in which help lists them.
absl::Span<const Command* const> AllCommands();

// Runs the command that `args` begin with; without any, the dashboard if it can
// be shown. Handles `help`, and --help anywhere before `--`, itself.
int RunCommand(absl::Span<const Command* const> commands, Args args,
               const Io& io);

// Posts the webhook that is described on io.in, for the server: the command
// kPostHookCommand, which help does not list.
int PostHook(const Io& io);

// Prints what is wrong with the command line and where help is; returns
// kExitUsage.
int UsageError(const Io& io, const Command& command, absl::string_view message);

// Returns the task that the arguments name, which must be one.
absl::StatusOr<std::string> ReadTask(const std::vector<std::string>& words);

// The connection to the server, for the commands that need one. Such a command
// is made of two functions: one reads its arguments into a struct, the other
// acts on it and returns the exit code.
//
//   absl::StatusOr<Line> ReadLine(Args args);
//   absl::StatusOr<int> Stop(const Line& line, Server& server, const Io& io);
//
//   constinit const Command kStopCommand = {
//       …, .run = RunOnServer<kStopCommand, ReadLine, Stop>};
struct Server {
  Environment environment;  // The environment of this process.
  client::ApiClient api;
};

// Finds the server that the environment names, without connecting to it. The
// first request starts the server if it has to be and can be started.
absl::StatusOr<std::unique_ptr<Server>> FindServer();

// Returns the version of the running server, which is not started for that;
// "running" if it does not say, or empty if none runs.
std::string ServerVersion(const Server& server);

// Returns the harnesses as `run` finds them with this process's environment.
absl::StatusOr<v1::ListHarnessesResponse> ProbeHarnesses(Server& server);

// If a command names the task `latest`, replaces that by the id of the newest
// task of the current folder, or else of all, and says on io.err which it is.
absl::Status FindLatest(client::ApiClient& api, const Io& io,
                        std::string* task);

// Prints the error. Returns kExitUsage if the request was wrong, or
// kExitFailure if it could not be carried out.
int FailWith(const Io& io, const absl::Status& error);

// Returns `message` as a line of JSON, in the API's form.
std::string JsonLine(const google::protobuf::Message& message);
int PrintJson(const Io& io, const google::protobuf::Message& message);

// Makes a path absolute; an empty one stays empty.
std::string AbsolutePath(const std::string& path);

template <const Command& kCommand, auto kRead, auto kAct>
int RunOnServer(Args args, const Io& io) {
  auto line = kRead(args);
  if (!line.ok()) return UsageError(io, kCommand, line.status().message());
  const absl::StatusOr<std::unique_ptr<Server>> server = FindServer();
  if (!server.ok()) return FailWith(io, server.status());
  absl::Status found;
  if constexpr (requires { line->task; }) {
    found = FindLatest((*server)->api, io, &line->task);
  } else if constexpr (requires { line->tasks; }) {
    for (std::string& task : line->tasks) {
      found.Update(FindLatest((*server)->api, io, &task));
    }
  }
  if (!found.ok()) return FailWith(io, found);
  const absl::StatusOr<int> code = kAct(*line, **server, io);
  return code.ok() ? *code : FailWith(io, code.status());
}

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_COMMANDS_H_
