// Approvals and questions of agents as the tools show them, and the answers to
// them.
#ifndef TROIKA_SERVER_MCP_PENDING_QUESTION_H_
#define TROIKA_SERVER_MCP_PENDING_QUESTION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dto/troika.pb.h"
#include "mcp/elicitation.h"

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

// Whether the agent asks something that nobody has answered.
bool HasPendingQuestion(const v1::Task& task);
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

// {id, type, questions}, the texts of which are cut if they are long.
std::string PendingQuestionJson(const v1::Task& task,
                                const PendingQuestion& question);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_PENDING_QUESTION_H_
