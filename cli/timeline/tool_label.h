// What a tool is called with, in a few words.
#ifndef TROIKA_CLI_TIMELINE_TOOL_LABEL_H_
#define TROIKA_CLI_TIMELINE_TOOL_LABEL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/message.h"

namespace troika::cli {

struct ToolLabel {
  std::string name;  // Bash; server/tool where an MCP server has it.
  std::string what;  // npm test; may be empty.
};

// Both are harmless and one line each. Paths under `cwd` are shown from there.
// A shell that is only there to run a command is left out.
ToolLabel LabelOf(const ToolUse& use, absl::string_view cwd);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TOOL_LABEL_H_
