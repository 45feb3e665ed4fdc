// Describes errors that an agent reports.
#ifndef TROIKA_AGENT_ACP_ERRORS_H_
#define TROIKA_AGENT_ACP_ERRORS_H_

#include <string>

#include "rpc/message.h"

namespace troika::acp {

// Code of the errors that ask for a login.
inline constexpr int64_t kAuthRequired = -32000;

// Returns the error's message with its details, and the status if it is one of
// HTTP: "quota (HTTP 429)".
std::string ErrorText(const rpc::Error& error);

}  // namespace troika::acp

#endif  // TROIKA_AGENT_ACP_ERRORS_H_
