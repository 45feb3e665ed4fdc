// Converts the content of messages and tool results, and the lines of type
// system that inform the reader and change no state.
#ifndef TROIKA_AGENT_CLAUDE_CONTENT_H_
#define TROIKA_AGENT_CLAUDE_CONTENT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/claude/record.h"
#include "agent/drift.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika::claude {

// Converts a tool result's content to text: a string as it is; an array as the
// lines of its texts, with "[image]" for an image and JSON for unknown blocks.
std::string ToolOutput(json::Value content, Drift* /*nullable*/ drift);

// Whether `content` is the error of a server-side tool, which is an object.
bool IsToolError(json::Value content);

// Returns the texts and images of a prompt's content.
UserInput PromptOf(json::Value content);

// Appends a text as further lines.
void AppendText(absl::string_view text, std::string* to);

// Returns nullopt for lines that only count or only say that the agent is
// working: thinking_tokens, and the status "requesting" or none. They come many
// times per message, and other lines report their outcome.
std::optional<Notice> NoticeOf(absl::string_view subtype,
                               const SystemLine& line,
                               Drift* /*nullable*/ drift);

Notice NoticeOf(absl::string_view subtype, const HookLine& line);

// `error` is a string, or an object with a message.
absl::string_view ErrorText(json::Value error, const FieldScope& scope);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_CONTENT_H_
