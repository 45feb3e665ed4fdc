// The state of a form that a stateless client sends back with the reply.
//
// It is all that is known about the form, so that forms cost no memory and hold
// over a restart of the server. A client may send any text: a state that it has
// made up lets it do nothing that *_respond does not, too.
#ifndef TROIKA_SERVER_MCP_FORM_STATE_H_
#define TROIKA_SERVER_MCP_FORM_STATE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika {

struct FormState {
  std::string task;      // Its id.
  std::string question;  // The id of what the task asks.
  absl::Time opened;     // When the form was sent, in milliseconds.
};

std::string WriteFormState(const FormState& state);
// Nothing if it is no state of ours, or one from the future.
std::optional<FormState> ReadFormState(absl::string_view text, absl::Time now);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_FORM_STATE_H_
