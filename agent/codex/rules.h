// The versions of Codex CLI: their flags, edit modes and capabilities.
#ifndef TROIKA_AGENT_CODEX_RULES_H_
#define TROIKA_AGENT_CODEX_RULES_H_

#include "agent/harness.h"
#include "agent/launch/builder.h"
#include "agent/launch/launch.h"
#include "agent/launch/wire.h"

namespace troika::codex {

const LaunchRules& Rules();

// Whether the agent may ask, so that its process must be an app-server: `codex
// exec` never asks and reads no answers.
bool MayAsk(const LaunchOptions& options);
// Whether the user's own settings decide if the agent asks.
bool AsksByItsSettings(const LaunchOptions& options);
// What to tell the user of edit mode research on app-server, which can't leave
// out the rules in Codex's own folder as exec does.
absl::string_view RulesNotice();

// What a process of this version can do on `wire`.
Capabilities WireCapabilities(const Cli& cli, Wire wire);
// What this version can do on some wire.
Capabilities AllCapabilities(const Cli& cli);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_RULES_H_
