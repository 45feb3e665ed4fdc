// `troika policy list`, `trust` and `untrust`.
#ifndef TROIKA_CLI_COMMANDS_POLICY_FOLDERS_H_
#define TROIKA_CLI_COMMANDS_POLICY_FOLDERS_H_

#include "cli/commands/commands.h"

namespace troika::cli {

// `args` come after the subcommand's name. Return the exit code.
int RunPolicyList(Args args, const Io& io);
int RunPolicyTrust(Args args, const Io& io);
int RunPolicyUntrust(Args args, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_POLICY_FOLDERS_H_
