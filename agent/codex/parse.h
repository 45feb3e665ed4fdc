// The conversation of one `codex exec --json` process.
//
// What the wire leaves to its readers:
// - ids count anew in each process (Ledger makes them unique);
// - a turn that went well can leave a command running, and an interrupted one
//   leaves everything open;
// - usage is the thread's total so far, and no total is known before the first
//   turn of a thread that somebody else began;
// - `error` is news, not the end: only `turn.failed` is.
#ifndef TROIKA_AGENT_CODEX_PARSE_H_
#define TROIKA_AGENT_CODEX_PARSE_H_

#include <memory>

#include "agent/protocol.h"

namespace troika::codex {

std::unique_ptr<Protocol> NewExecProtocol(const ProtocolOptions& options);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_PARSE_H_
