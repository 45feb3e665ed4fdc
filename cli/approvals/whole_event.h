#ifndef TROIKA_CLI_APPROVALS_WHOLE_EVENT_H_
#define TROIKA_CLI_APPROVALS_WHOLE_EVENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "client/api.h"

namespace troika::cli {

// "3.0"
std::string EventIdText(const EventId& id);

// An event with nothing cut, and the input of a tool exactly as the agent wrote
// it.
absl::StatusOr<Message> GetWholeEvent(client::ApiClient& api,
                                      absl::string_view task,
                                      absl::string_view event);

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_WHOLE_EVENT_H_
