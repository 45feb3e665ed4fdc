#include <csignal>
#include <string>
#include <vector>

#include "cli/commands/commands.h"

int main(int argc, char** argv) {
  // Writing returns an error if the reader is gone.
  std::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return troika::cli::RunCommand(troika::cli::AllCommands(), args, {});
}
