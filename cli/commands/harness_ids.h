#ifndef TROIKA_CLI_COMMANDS_HARNESS_IDS_H_
#define TROIKA_CLI_COMMANDS_HARNESS_IDS_H_

#include <string>

namespace troika::cli {

// For messages: "codex, claude, gemini".
std::string HarnessIds();

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_HARNESS_IDS_H_
