// Builds the responses to approvals and questions.
#ifndef TROIKA_CLI_APPROVALS_RESPOND_H_
#define TROIKA_CLI_APPROVALS_RESPOND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

// Returns the options that `typed` names by number or text, or else `typed`
// itself. InvalidArgument if there is no such number, or too many are given.
absl::StatusOr<std::vector<std::string>> ReadChoice(const Question::Item& item,
                                                    absl::string_view typed);

v1::RespondRequest ApprovalResponse(const std::string& id, bool allow,
                                    absl::string_view reason);
// `answers` has those to each item of the question.
v1::RespondRequest QuestionResponse(
    const std::string& id,
    const std::vector<std::vector<std::string>>& answers);

// The answer on a command line.
struct Reply {
  enum class Kind { kAllow, kDeny, kAnswer };
  std::string id;  // May be empty if only one thing waits.
  Kind kind = Kind::kAllow;
  std::string reason;
  std::vector<std::string> answers;  // One for each item, as ReadChoice takes.
};

// FailedPrecondition if nothing with this id waits, or several things do and no
// id is given; InvalidArgument if the number of answers is wrong.
absl::StatusOr<v1::RespondRequest> MakeResponse(const TaskState& state,
                                                const Reply& reply);

// FailedPrecondition if nothing waits in `state`, or nothing with this id.
absl::Status CheckWaits(const TaskState& state, const std::string& id);

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_RESPOND_H_
