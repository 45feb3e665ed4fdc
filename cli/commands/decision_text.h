// Decisions as text for terminals.
#ifndef TROIKA_CLI_COMMANDS_DECISION_TEXT_H_
#define TROIKA_CLI_COMMANDS_DECISION_TEXT_H_

#include <string>

#include "absl/time/time.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// Returns some lines: what was asked, what was decided, when, by whom and by
// which rules.
std::string DecisionText(const v1::Decision& decision, absl::TimeZone zone);

// Returns "denied", "allowed", …: what the decision did.
std::string OutcomeText(const v1::Decision& decision);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_DECISION_TEXT_H_
