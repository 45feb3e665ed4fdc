// Tells the story of the decisions of a task: what was asked, and what was
// decided, when and by whom. Computed from the messages of the log.
#ifndef TROIKA_TASK_DECISIONS_H_
#define TROIKA_TASK_DECISIONS_H_

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "task/state.h"

namespace troika {

inline constexpr size_t kMaxDecisions = 1000;

struct Decision {
  // The event that asked, or that told of a denial.
  EventId event;
  std::optional<absl::Time> asked;
  std::optional<absl::Time> decided;
  enum class About { kApproval, kQuestion, kDenial };
  About about = About::kApproval;
  Approval::Kind kind = Approval::Kind::kTool;  // The approval's.
  std::string tool_name;
  std::string subject;  // Command, files or question, or its beginning.
  std::string explanation;
  std::string parent_tool_use_id;
  // The answer. Its `by` may also be "cli", if the CLI refused by itself, and
  // "default", if Troika refused what it can't show to anybody.
  Settled answer;

  bool operator==(const Decision&) const = default;
};

// The command, the files, the input or the questions: all of their texts.
std::string SubjectOf(const Approval& approval);
std::string SubjectOf(const Question& question);

class Decisions {
 public:
  // Messages come in the order of the log.
  void Add(const Message& message);

  // The last kMaxDecisions ones, oldest first.
  const std::deque<Decision>& decisions() const { return decisions_; }
  int left_out() const { return left_out_; }

 private:
  void Add(const Message& message, const Approval& approval);
  void Add(const Message& message, const Question& question);
  // Adds a denial that nobody was asked about, unless the tool has one.
  void AddDenial(const Message& message, Denial denial);
  Decision& Append(const Message& message, Decision::About about);
  // The one that waits under this id, or null if there is none.
  Decision* /*nullable*/ FindOpen(const std::string& id);
  void Settle(const Message& message, Settled settled);

  std::deque<Decision> decisions_;
  int left_out_ = 0;
  std::map<std::string, std::string> running_;  // Names of tools, by ids.
  std::set<std::string> denied_;                // Tool uses that were denied.
};

}  // namespace troika

#endif  // TROIKA_TASK_DECISIONS_H_
