// Parses the conversation of one `codex exec --json` process.
//
// Properties of the wire that are handled here:
// - Ids start over in each process (Ledger makes them unique).
// - A successful turn may leave a command running; an interrupted one leaves
//   everything open.
// - Usage is the thread's total so far, and the total before the first turn is
//   unknown if the thread was started outside Troika.
// - `error` is informational; only `turn.failed` ends a turn with an error.
#ifndef TROIKA_AGENT_CODEX_PARSE_H_
#define TROIKA_AGENT_CODEX_PARSE_H_

#include <memory>

#include "agent/protocol.h"

namespace troika::codex {

std::unique_ptr<Protocol> NewExecProtocol(const ProtocolOptions& options);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_PARSE_H_
