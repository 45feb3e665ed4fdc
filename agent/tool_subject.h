// Tells in a few words what the use of a tool is about: a command, a path, a
// query.
#ifndef TROIKA_AGENT_TOOL_SUBJECT_H_
#define TROIKA_AGENT_TOOL_SUBJECT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/message.h"

namespace troika {

// Returns the agent's own words, of any length; empty if there are none. Paths
// under `cwd` are relative to it. A shell that only runs a command is left out.
std::string ToolSubject(const ToolUse& use, absl::string_view cwd);

}  // namespace troika

#endif  // TROIKA_AGENT_TOOL_SUBJECT_H_
