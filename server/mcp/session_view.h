// Sessions as the tools show them, in JSON.
#ifndef TROIKA_SERVER_MCP_SESSION_VIEW_H_
#define TROIKA_SERVER_MCP_SESSION_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "dto/troika.pb.h"
#include "mcp/elicitation.h"
#include "server/mcp/event_buffer.h"

namespace troika {

// Something that the agent asks its user: an approval or a question.
struct PendingQuestion {
  struct Part {
    std::string question;
    std::vector<std::string> options;
    bool multi_select = false;
  };
  std::string id;
  std::string type;  // command_approval, patch_approval, …, question
  std::vector<Part> parts;

  bool is_approval() const { return type != "question"; }
};

// The oldest that nobody has answered, or nothing.
std::optional<PendingQuestion> PendingQuestionOf(const v1::Task& task);

// The one of that id, or nothing if it was answered or never asked.
std::optional<PendingQuestion> PendingQuestionById(const v1::Task& task,
                                                   absl::string_view id);
// An answer to what is no longer asked: the server then says who has answered
// it, or that it does not know it.
absl::StatusOr<v1::RespondRequest> AnswerToUnknown(
    const std::string& id, const std::vector<std::string>& answers);

// The answers of a person or a model as a request to the API, one for each
// part. InvalidArgument says what is wrong with them.
absl::StatusOr<v1::RespondRequest> ReadAnswers(
    const PendingQuestion& question, const std::vector<std::string>& answers);

// The form by which a client asks its user, and what was filled in.
mcp::Form FormOf(const v1::Task& task, const PendingQuestion& question);
// Nothing if the reply leaves the question open.
absl::StatusOr<std::optional<v1::RespondRequest>> ReadForm(
    const PendingQuestion& question, const mcp::FormReply& reply);

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
// Why a task has failed, with what is known about it.
std::string FailureText(const v1::Task& task);
// The id by which clients name the session: the CLI's own, or that of the task
// until the CLI tells it.
std::string SessionIdOf(const v1::Task& task);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_SESSION_VIEW_H_
