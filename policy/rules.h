// Rules that decide what an agent may do, and the files that hold them.
//
// A rules file has calls with literal arguments, in the language of Codex's
// execpolicy (docs/policy.md):
//
//   prefix_rule(pattern = ["git", ["status", "diff"]], decision = "allow")
//   edit_rule(paths = ["docs/**"], decision = "allow")
//   tool_rule(server = "github", tool = "get_issue", decision = "prompt")
//
//   ASSIGN_OR_RETURN(const Rules rules, Rules::Parse(file, Dialect::kTroika));
//   const Verdict verdict = DecideCommand(rules, {.line = "git status"});
//
// Nothing here does I/O, and all types are values.
#ifndef TROIKA_POLICY_RULES_H_
#define TROIKA_POLICY_RULES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika::policy {

// A greater decision is a stricter one.
enum class Decision { kAllow, kPrompt, kForbidden };

// Returns "allow", "prompt" or "forbidden".
absl::string_view DecisionName(Decision decision);

// Where a rule was written.
struct RuleSource {
  std::string file;
  int line = 0;      // Of the call's first character, counted from 1.
  std::string text;  // The call as written, in one line, at most 500 bytes.

  bool operator==(const RuleSource&) const = default;
};

// A rules file as the caller read it.
struct FileText {
  std::string file;  // For errors and RuleSource.
  std::string text;
};
constexpr size_t kMaxFileBytes = size_t{1} << 20;

// The calls that a file may have: Codex's own are prefix_rule, host_executable
// and network_rule; Troika adds edit_rule and tool_rule.
enum class Dialect { kExecPolicy, kTroika };

// A rule that speaks of a request, and how it does.
struct MatchedRule {
  RuleSource source;
  Decision decision = Decision::kAllow;
  std::string justification;  // Empty if the rule gives none.
  // The first words of the command, for a prefix_rule.
  std::vector<std::string> matched_prefix;
  // The program's path, if a rule matched by the name of a file in a folder.
  std::string resolved_program;
};

// The rules of some files. Immutable, cheap to copy and thread-safe.
class Rules {
 public:
  Rules();  // Has no rules.

  // InvalidArgument "FILE:LINE:COLUMN: message" if the file is broken.
  static absl::StatusOr<Rules> Parse(const FileText& file, Dialect dialect);
  // Reads the files as Codex does: a host_executable counts for the files that
  // follow, too.
  static absl::StatusOr<Rules> ParseInOrder(absl::Span<const FileText> files,
                                            Dialect dialect);
  // Stands for a file that can't be read or parsed, for the reason `error`:
  // while it is among the rules, nothing is allowed.
  static Rules Broken(const absl::Status& error);
  // Parses the file, or returns Broken with the reason.
  static Rules ParseOrBroken(const FileText& file, Dialect dialect);
  // Returns all rules, in the given order.
  static Rules Combine(absl::Span<const Rules> parts);

  bool empty() const;  // Has neither rules nor a broken file.
  // Some rule says prompt or forbidden, or a file is broken.
  bool CouldRestrict() const;
  // The reasons given to Broken.
  const std::vector<std::string>& broken() const;

  // For the functions of this library.
  struct Data;
  const Data& data() const { return *data_; }

 private:
  explicit Rules(std::shared_ptr<const Data> data);

  std::shared_ptr<const Data> data_;  // Shared by copies; never null.
};

}  // namespace troika::policy

#endif  // TROIKA_POLICY_RULES_H_
