#ifndef TROIKA_POLICY_READ_RULES_H_
#define TROIKA_POLICY_READ_RULES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "policy/rules.h"
#include "policy/rules_data.h"

namespace troika::policy {

// Adds the rules of `file` to those of earlier files. InvalidArgument
// "FILE:LINE:COLUMN: message" if it is broken; `lists` are then unspecified.
absl::Status ReadRules(const FileText& file, Dialect dialect, RuleLists* lists);

// Returns why `host` can't be the host of a network_rule, or an empty text.
std::string NetworkHostProblem(absl::string_view host);

}  // namespace troika::policy

#endif  // TROIKA_POLICY_READ_RULES_H_
