#include <csignal>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/io.h"
#include "config/webhook.h"

int main(int argc, char** argv) {
  // Writing returns an error if the reader is gone.
  std::signal(SIGPIPE, SIG_IGN);
  troika::cli::RememberTerminal();
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (args.size() == 1 && args[0] == troika::kPostHookCommand) {
    return troika::cli::PostHook({});
  }
  return troika::cli::RunCommand(troika::cli::AllCommands(), args, {});
}
