// Describes the use of a tool in a few words.
#ifndef TROIKA_CLI_TIMELINE_TOOL_LABEL_H_
#define TROIKA_CLI_TIMELINE_TOOL_LABEL_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/message.h"

namespace troika::cli {

struct ToolLabel {
  std::string name;  // "Bash", or "server/tool" for a tool of an MCP server.
  std::string what;  // "npm test"; may be empty.
};

enum class LabelLength {
  kOfLine,  // As much as can be needed for a line of a terminal.
  kWhole,
};

// Both texts are sanitized and one line each. Paths under `cwd` are relative to
// it. A shell that only runs a command is left out.
ToolLabel LabelOf(const ToolUse& use, absl::string_view cwd,
                  LabelLength length = LabelLength::kOfLine);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TOOL_LABEL_H_
