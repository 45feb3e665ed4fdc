// Sessions as the tools show them, in JSON.
#ifndef TROIKA_SERVER_MCP_SESSION_VIEW_H_
#define TROIKA_SERVER_MCP_SESSION_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "dto/troika.pb.h"
#include "server/mcp/event_buffer.h"

namespace troika {

// Where a client has read to: "12.0", or "12.0@20000" if the result goes on at
// that byte.
struct Cursor {
  EventId after;
  int64_t result_offset = 0;
};
absl::StatusOr<Cursor> ReadCursor(absl::string_view text);

struct StatusOptions {
  std::optional<Cursor> cursor;
  size_t output_lines = 0;
  size_t max_items = 0;
};
// The result of *_status.
std::string StatusJson(const v1::Task& task, const EventBuffer& events,
                       const StatusOptions& options);

// {inputTokens, cachedInputTokens, outputTokens}
std::string UsageJson(const v1::TokenCounts& tokens);
// [{tool, reason}], the first of what was denied in a turn.
std::string DenialsJson(const v1::Result& result);
// Why a task has failed, with what is known about it.
std::string FailureText(const v1::Task& task);
// The id by which clients name the session: the CLI's own, or that of the task
// until the CLI tells it.
std::string SessionIdOf(const v1::Task& task);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_SESSION_VIEW_H_
