// Converts lines of type system that inform the reader and change no state.
#ifndef TROIKA_AGENT_CLAUDE_NOTICES_H_
#define TROIKA_AGENT_CLAUDE_NOTICES_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "agent/claude/record.h"
#include "agent/message.h"

namespace troika::claude {

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

#endif  // TROIKA_AGENT_CLAUDE_NOTICES_H_
