// Rules that an answer "always" can become.
#ifndef TROIKA_POLICY_PROPOSE_H_
#define TROIKA_POLICY_PROPOSE_H_

#include <string>
#include <vector>

#include "policy/decide.h"

namespace troika::policy {

// Return texts of rules that would allow the request, narrowest first; empty if
// no rule can allow it, or only one that allows far too much (docs/policy.md).
// Each text is one line for a file of Dialect::kTroika, or some lines if the
// request is a shell line of several commands, with a rule for each of them.
std::vector<std::string> ProposeRules(const CommandRequest& request);
std::vector<std::string> ProposeRules(const EditRequest& request);
std::vector<std::string> ProposeRules(const ToolRequest& request);

}  // namespace troika::policy

#endif  // TROIKA_POLICY_PROPOSE_H_
