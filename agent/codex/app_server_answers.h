// Converts answers to the results of app-server's requests, and back.
#ifndef TROIKA_AGENT_CODEX_APP_SERVER_ANSWERS_H_
#define TROIKA_AGENT_CODEX_APP_SERVER_ANSWERS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/json.h"

namespace troika::codex {

// The first four functions return the result for a choice, which is one of
// kApprove, kApproveForSession, kDeny and kCancel.
std::string DecisionResult(absl::string_view choice);
std::string PermissionsResult(absl::string_view choice,
                              absl::string_view requested_json);
std::string ToolFormResult(absl::string_view choice);
// `content_json` is the content of an accepted form.
std::string FormResult(absl::string_view content_json);

// Returns the choice that a written result stands for; kDeny if it is unknown.
absl::string_view ChoiceOf(json::Value result);

// Returns the choices that the decisions of a request allow, in our order. The
// server takes a refusal even if it lists none.
std::vector<std::string> ChoicesOf(json::Value available_decisions);

// Encodes the answers to a form's field by its type; nullopt if they are no
// value of that type.
std::optional<std::string> FieldValue(absl::string_view type,
                                      const std::vector<std::string>& answers);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_APP_SERVER_ANSWERS_H_
