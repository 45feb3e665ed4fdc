// Finds out whether a CLI's own sandbox works on this machine.
//
// Codex runs commands and edits in a sandbox of its own, which needs user
// namespaces or Landlock. A chroot or an ordinary container has neither: then
// every command and edit fails, although the turn ends as successful.
#ifndef TROIKA_AGENT_DISCOVERY_SANDBOX_H_
#define TROIKA_AGENT_DISCOVERY_SANDBOX_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "agent/backend.h"
#include "agent/discovery/command_runner.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"

namespace troika {

// Describes everything that decides whether a sandbox works, besides the CLI:
// the boot, the root folder and the namespaces that we are in, our privileges,
// the kernel's limits and the bwrap on PATH. Reads a few small files.
std::string SandboxSurroundings(const Environment& env);

// Runs the CLI's own command for trying its sandbox. Returns the line in which
// it says why the sandbox can't be set up; empty if the sandbox works, if the
// command fails for another reason, or if `probes` has none for this version.
// Blocks until the command ends or the deadline has passed.
std::string ProbeSandbox(const Cli& cli, absl::Span<const SandboxProbe> probes,
                         const Environment& env, absl::Duration deadline,
                         CommandRunner& runner);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_SANDBOX_H_
