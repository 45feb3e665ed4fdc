// What stands in the content of a message or of a tool's result.
#ifndef TROIKA_AGENT_CLAUDE_CONTENT_H_
#define TROIKA_AGENT_CLAUDE_CONTENT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "agent/drift.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika::claude {

// A tool result's content as text: a string as it is; of an array the texts,
// one a line, an image as "[image]", and what is not known as its JSON.
std::string ToolOutput(json::Value content, Drift* /*nullable*/ drift);

// A server-side tool answers with an object instead where it failed.
bool IsToolError(json::Value content);

// The texts and images of a prompt's content.
UserInput PromptOf(json::Value content);

// Adds one text to a text of lines.
void AppendText(absl::string_view text, std::string* to);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_CONTENT_H_
