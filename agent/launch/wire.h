// Names the wires: the formats in which a CLI's process talks to us. A harness
// may have several, and its backend chooses one for each process.
#ifndef TROIKA_AGENT_LAUNCH_WIRE_H_
#define TROIKA_AGENT_LAUNCH_WIRE_H_

#include "base/fields.h"

namespace troika {

enum class Wire {
  kExec,         // `codex exec --json`: one prompt, then events.
  kStreamJson,   // Events of Claude Code or Gemini CLI; Claude's also takes
                 // input.
  kAppServer,    // `codex app-server`: JSON-RPC in both directions.
  kAcp,          // The Agent Client Protocol: JSON-RPC in both directions.
  kSessionFile,  // The lines of a file in which a CLI keeps a session: no
                 // process has it, only tasks that were imported.
};

template <>
inline constexpr auto kEnumNames<Wire> = EnumNames("exec", "stream_json",
                                                   "app_server", "acp",
                                                   "session_file");

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_WIRE_H_
