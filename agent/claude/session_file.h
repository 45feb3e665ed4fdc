// Parses the files in which Claude Code keeps sessions. Their entries `user`
// and `assistant` hold the same messages as stream-json; a prompt begins a
// turn, whose end is not told.
#ifndef TROIKA_AGENT_CLAUDE_SESSION_FILE_H_
#define TROIKA_AGENT_CLAUDE_SESSION_FILE_H_

#include <memory>

#include "agent/protocol.h"

namespace troika::claude {

std::unique_ptr<Protocol> NewSessionFileProtocol(
    const ProtocolOptions& options);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_SESSION_FILE_H_
