// Parses the files in which Gemini CLI keeps sessions: lines, or, before 0.35,
// one object with all messages.
//
// - A message of the model may be written again with the tools that it called;
//   its text and tokens count once.
// - A message of the user with results of tools repeats what the calls tell.
#ifndef TROIKA_AGENT_GEMINI_SESSION_FILE_H_
#define TROIKA_AGENT_GEMINI_SESSION_FILE_H_

#include <memory>

#include "agent/protocol.h"

namespace troika::gemini {

std::unique_ptr<Protocol> NewSessionFileProtocol(
    const ProtocolOptions& options);

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_SESSION_FILE_H_
