// The defaults and limits of the MCP tools. Their schemas and docs/mcp.md show
// the same values.
#ifndef TROIKA_SERVER_MCP_DEFAULTS_H_
#define TROIKA_SERVER_MCP_DEFAULTS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace troika::mcp {

// No call lasts longer, because progress extends the time limit of no client.
inline constexpr int64_t kMaxWaitSeconds = 45;
inline constexpr int64_t kOutputLines = 50;
inline constexpr int64_t kMaxOutputLines = 1000;
inline constexpr int64_t kListLimit = 50;
inline constexpr int64_t kMaxListLimit = 1000;
// EVENT_BUFFER_SIZE, MAX_SESSIONS and APPROVAL_TIMEOUT_MS replace these.
inline constexpr int64_t kEventBufferSize = 500;
inline constexpr int64_t kMaxEventBufferSize = 10000;
inline constexpr int64_t kMaxSessions = 10;
inline constexpr absl::Duration kApprovalTimeout = absl::Milliseconds(300000);
// A person needs longer to answer: an earlier reply to a form is a program's.
inline constexpr absl::Duration kFastestPerson = absl::Milliseconds(300);
// How long a task that is bound to its client outlives the client's connection.
inline constexpr absl::Duration kClientPatience = absl::Seconds(30);

// Jobs.
inline constexpr char kCallCodexModel[] = "gpt-5.2-codex";
inline constexpr char kCallCodexEditMode[] = "full_auto";
// Claude Code and Gemini CLI have no sandbox.
inline constexpr char kCallEditMode[] = "auto_edit";
inline constexpr int64_t kJobTimeoutMs = 60000;
inline constexpr int64_t kToolTimeoutMs = 300000;
inline constexpr int64_t kMaxTimeoutMs = int64_t{7} * 24 * 3600 * 1000;

// gpt5_codex.
inline constexpr char kOneShotName[] = "gpt5_codex";
inline constexpr char kOneShotModel[] = "gpt-5";
inline constexpr char kOneShotEffort[] = "medium";
inline constexpr char kOneShotEditMode[] = "research";
inline constexpr int64_t kOneShotTimeoutSec = 900;
inline constexpr int64_t kMaxOneShotWaitSec = 3600;

}  // namespace troika::mcp

#endif  // TROIKA_SERVER_MCP_DEFAULTS_H_
