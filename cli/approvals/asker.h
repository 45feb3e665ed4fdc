// Lets the user answer what an agent asks, in the terminal where its work is
// shown.
#ifndef TROIKA_CLI_APPROVALS_ASKER_H_
#define TROIKA_CLI_APPROVALS_ASKER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

// Holds what is asked now, and the answer so far. No I/O: the caller shows
// prompt() and feeds the lines that are typed.
class Asker {
 public:
  // How much of what is asked the user has had on the screen.
  enum class Seen { kAll, kPart };

  // Picks what waits longest in `state`, approvals first; drops what no longer
  // waits.
  void Update(const TaskState& state);
  // Asks for this one alone.
  void AskOnly(std::string id) { only_ = std::move(id); }

  bool asks() const { return !id_.empty(); }
  const std::string& id() const { return id_; }
  // Says in a line what the approval is for. If only a part was seen, it takes
  // more than a "y" to allow it.
  void Describe(std::string statement, Seen seen);
  // Two lines, for an approval: "allow Bash (1 line, 10 bytes)? make clean" and
  // "y(es), n(o), or r to deny it with a reason: ".
  std::string prompt() const;

  // Takes a line that was typed. Returns the answer if that completes it,
  // nothing if more is asked. InvalidArgument says what can be typed, and it is
  // asked again.
  absl::StatusOr<std::optional<v1::RespondRequest>> Type(
      absl::string_view line);
  // Asks again, because the last answer did not arrive.
  void AskAgain() { answered_.clear(); }

 private:
  using Answer = absl::StatusOr<std::optional<v1::RespondRequest>>;

  Answer TypeApproval(absl::string_view typed);
  Answer TypeQuestion(absl::string_view typed);
  void Reset();

  std::string only_;
  std::string id_;  // The approval or question that is asked.
  std::string statement_;
  Seen seen_ = Seen::kAll;
  bool gives_reason_ = false;                    // The next line is a reason.
  std::optional<PendingQuestion> question_;      // Else it is an approval.
  std::vector<std::vector<std::string>> given_;  // To its first items.
  // The id of the last answer, which is not asked again while it is under way.
  std::string answered_;
};

// How to answer from elsewhere: "troika respond ID --allow, or --deny".
std::string HowToAnswer(const TaskState& state);

// The options that `typed` names, by their numbers or in their words; else what
// it says itself.
absl::StatusOr<std::vector<std::string>> ReadChoice(
    const PendingQuestion::Item& item, absl::string_view typed);

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_ASKER_H_
