// Asks rules (policy/) about approvals. No I/O.
#ifndef TROIKA_TASK_APPROVAL_RULES_H_
#define TROIKA_TASK_APPROVAL_RULES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "policy/decide.h"
#include "policy/rules.h"
#include "task/notes.h"

namespace troika {

// Parses all files. One that is broken, or could not be read, allows nothing.
policy::Rules ParseRules(const std::vector<notes::RulesFile>& files);

// Whether rules may answer approvals of this kind. All others are for people.
bool AsksRules(Approval::Kind kind);

// What the rules say about an approval of a task in the folder `cwd`. Nothing
// is allowed that the wire does not tell exactly.
policy::Verdict DecideApproval(const policy::Rules& rules,
                               const Approval& approval, absl::string_view cwd);

// Rules that would allow the approval, the narrowest first.
std::vector<std::string> ProposedRules(const Approval& approval,
                                       absl::string_view cwd);

// The rules as a log keeps them, at most 8.
std::vector<DecidingRule> DecidingRules(const policy::Verdict& verdict);

}  // namespace troika

#endif  // TROIKA_TASK_APPROVAL_RULES_H_
