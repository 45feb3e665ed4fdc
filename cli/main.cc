#include <csignal>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/parse_command.h"
#include "cli/version_command.h"

namespace {

constexpr const troika::cli::Command* kCommands[] = {
    &troika::cli::kParseCommand,
    &troika::cli::kVersionCommand,
};

}  // namespace

int main(int argc, char** argv) {
  // A reader that leaves is seen where we write.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return troika::cli::RunCommand(kCommands, args, {});
}
