#include "cli/commands/version_command.h"

#include "absl/strings/str_cat.h"
#include "base/version.h"
#include "cli/commands/server.h"
#include "cli/commands/server_version.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp = R"(usage: troika version

Prints the version of troika, and of the server where one runs.
)";

int Run(absl::Span<const std::string> args, const Io& io) {
  if (!args.empty()) {
    return UsageError(io, kVersionCommand, "version takes no arguments");
  }
  const absl::StatusOr<std::unique_ptr<Server>> server = FindServer();
  const std::string running = server.ok() ? ServerVersion(**server) : "";
  return Print(
      io, absl::StrCat(
              "troika ", kVersion, "\n",
              running.empty() ? "" : absl::StrCat("server ", running, "\n")));
}

}  // namespace

constinit const Command kVersionCommand = {.name = "version",
                                           .summary = "print the version",
                                           .help = kHelp,
                                           .run = Run};

}  // namespace troika::cli
