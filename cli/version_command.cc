#include "cli/version_command.h"

namespace troika::cli {
namespace {

int Run(absl::Span<const std::string> args, const Io& io) {
  if (!args.empty()) {
    return UsageError(io, kVersionCommand, "version takes no arguments");
  }
  return Print(io, "troika 0.1.0\n");
}

}  // namespace

constinit const Command kVersionCommand = {
    .name = "version",
    .summary = "print the version",
    .help = "usage: troika version\n\nPrints the version of troika.\n",
    .run = Run};

}  // namespace troika::cli
