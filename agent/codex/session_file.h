// Parses the lines of Codex's rollout files, in both history modes: `legacy`,
// and `paginated`, whose event_msg lines hold items.
//
// What the model called is told by response_item lines in both modes. An item
// of the same call precedes the call's output and knows more, so it is the
// result, and the output is used only if there is no such item.
#ifndef TROIKA_AGENT_CODEX_SESSION_FILE_H_
#define TROIKA_AGENT_CODEX_SESSION_FILE_H_

#include <memory>

#include "agent/protocol.h"

namespace troika::codex {

std::unique_ptr<Protocol> NewSessionFileProtocol(
    const ProtocolOptions& options);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_SESSION_FILE_H_
