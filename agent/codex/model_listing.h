// Lists the models of Codex CLI.
#ifndef TROIKA_AGENT_CODEX_MODEL_LISTING_H_
#define TROIKA_AGENT_CODEX_MODEL_LISTING_H_

#include "agent/backend.h"

namespace troika::codex {

// Asks `codex app-server`, which needs no login for it.
const ModelListing& Models();

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_MODEL_LISTING_H_
