// Builds the responses to approvals and questions.
#ifndef TROIKA_CLI_APPROVALS_RESPOND_H_
#define TROIKA_CLI_APPROVALS_RESPOND_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

// Returns the options that `typed` names by number or text, or else `typed`
// itself. InvalidArgument if there is no such number, or too many are given.
absl::StatusOr<std::vector<std::string>> ReadChoice(const Question::Item& item,
                                                    absl::string_view typed);

// `choice` is one of the approval's.
v1::RespondRequest ApprovalResponse(const std::string& id,
                                    absl::string_view choice,
                                    absl::string_view reason);
// Allows the approval, and makes `rule` one of the user's.
v1::RespondRequest AlwaysResponse(const std::string& id,
                                  const std::string& rule);
// Returns one of the rules that the approval proposes, counted from 1.
// InvalidArgument lists them, or says that there is none.
absl::StatusOr<std::string> ProposedRule(const Approval& approval, int number);
// Returns the proposed rules as lines: "  1  prefix_rule(…)".
std::string ProposalsText(const std::vector<std::string>& rules);
// `answers` has those to each item of the question.
v1::RespondRequest QuestionResponse(
    const std::string& id,
    const std::vector<std::vector<std::string>>& answers);

// The answer on a command line.
struct Reply {
  enum class Kind { kChoice, kAnswer };
  std::string id;  // Empty: the one that has waited longest.
  Kind kind = Kind::kChoice;
  std::string choice = std::string(kApprove);
  std::string reason;
  // The number of the rule that the answer is to become, from 1; 0: none.
  int always = 0;
  std::vector<std::string> answers;  // One for each item, as ReadChoice takes.
};

// FailedPrecondition if nothing with this id waits; InvalidArgument if the
// number of answers is wrong, or the choice is not offered.
absl::StatusOr<v1::RespondRequest> MakeResponse(const TaskState& state,
                                                const Reply& reply);

// Whether anything waits for an answer that it does not have yet.
bool Waits(const TaskState& state);

// Returns the id of what has waited longest without an answer, but for that
// with the id `without`; empty if there is none.
template <typename T>
std::string Oldest(const std::map<std::string, Pending<T>>& pending,
                   absl::string_view without = "") {
  const std::string* oldest = nullptr;
  EventId asked;
  for (const auto& [id, one] : pending) {
    if (one.answered || id == without) continue;
    if (oldest != nullptr && asked < one.asked) continue;
    oldest = &id;
    asked = one.asked;
  }
  return oldest == nullptr ? "" : *oldest;
}

// FailedPrecondition if nothing waits in `state`, or nothing with this id.
absl::Status CheckWaits(const TaskState& state, const std::string& id);

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_RESPOND_H_
