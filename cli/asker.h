// Lets the user answer what an agent asks, in the terminal where its work is
// shown.
#ifndef TROIKA_CLI_ASKER_H_
#define TROIKA_CLI_ASKER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

// What is asked now, and the answer so far. No I/O: the caller shows prompt()
// and feeds the lines that are typed.
class Asker {
 public:
  // Takes up what waits first in `state`; drops what no longer waits.
  void Look(const TaskState& state);

  bool asks() const { return !id_.empty(); }
  const std::string& id() const { return id_; }
  // "allow it? y/n, or why not: "
  std::string prompt() const;

  // A line that was typed. The answer where that completes it, nothing where
  // more is asked; InvalidArgument says what can be typed, and it is asked
  // again.
  absl::StatusOr<std::optional<v1::RespondRequest>> Type(
      absl::string_view line);
  // The last answer did not arrive: it is asked again.
  void AskAgain() { answered_.clear(); }

 private:
  std::string id_;                               // Of what is asked.
  std::optional<PendingQuestion> question_;      // Else it is an approval.
  std::vector<std::vector<std::string>> given_;  // To its first items.
  std::string answered_;  // An id that is to go, and need not be asked again.
};

// How to answer from elsewhere: "troika respond ID --allow, or --deny".
std::string HowToAnswer(const TaskState& state);

// The options that `typed` names by their numbers, or what it says itself.
absl::StatusOr<std::vector<std::string>> ReadChoice(
    const PendingQuestion::Item& item, absl::string_view typed);

}  // namespace troika::cli

#endif  // TROIKA_CLI_ASKER_H_
