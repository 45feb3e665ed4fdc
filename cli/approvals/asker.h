// Turns what the user types into an answer to an approval or question.
#ifndef TROIKA_CLI_APPROVALS_ASKER_H_
#define TROIKA_CLI_APPROVALS_ASKER_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

// Holds the approval or question that the user is asked for, and the answer so
// far. No I/O: the caller shows prompt() and passes the lines that are typed.
class Asker {
 public:
  // How much of the approval the user has seen.
  enum class Seen { kAll, kPart };

  // Picks what has waited longest in `state`, approvals first. Drops what no
  // longer waits.
  void Update(const TaskState& state);
  // From now on asks for nothing but the one with this id.
  void AskOnly(std::string id) { only_ = std::move(id); }

  bool asks() const { return !id_.empty(); }
  const std::string& id() const { return id_; }
  // Sets the line that says what the approval is for. If only a part was seen,
  // it takes the word "allow" to allow it.
  void Describe(std::string statement, Seen seen);
  // Two lines for an approval: "allow Bash (1 line, 10 bytes)? make clean" and
  // "y(es), or n(o): ", with a key for each choice that the approval offers.
  // After a no it asks for the reason, which may be left out.
  std::string prompt() const;

  using Response = absl::StatusOr<std::optional<v1::RespondRequest>>;

  // Takes a line that was typed. Returns the response if that completes it, or
  // nothing if more is to be typed. InvalidArgument says what can be typed; the
  // prompt stays the same.
  Response Type(absl::string_view line);
  // Asks again, because the server did not take the last answer.
  void AskAgain() { answered_.clear(); }
  // Whether the reason of a denial is asked for.
  bool gives_reason() const { return gives_reason_; }
  // Asks for the decision again, and not for its reason. False if that is what
  // is asked for.
  bool GoBack() {
    return std::exchange(gives_reason_, false) ||
           std::exchange(picks_rule_, false);
  }

 private:
  Response TypeApproval(absl::string_view typed);
  Response TypeRule(absl::string_view typed);
  Response TypeQuestion(absl::string_view typed);
  void Reset();

  std::string only_;
  std::string id_;                    // The approval or question that is asked.
  std::vector<std::string> choices_;  // The approval's.
  std::string statement_;
  Seen seen_ = Seen::kAll;
  bool gives_reason_ = false;                    // The next line is a reason.
  bool picks_rule_ = false;                      // It is the number of a rule.
  std::vector<std::string> rules_;               // Those that are proposed.
  std::optional<Question> question_;             // Unset for an approval.
  std::vector<std::vector<std::string>> given_;  // Answers to its first items.
  // Id of what was answered last, which is not asked again until the server
  // has refused the answer.
  std::string answered_;
};

// Returns how to answer elsewhere: "troika respond ID --allow, or --deny".
std::string HowToAnswer(const TaskState& state);

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_ASKER_H_
