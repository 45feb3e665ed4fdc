// Forms by which a client asks its user, in the ways of both generations.
//
// Fields are strings, choices and booleans only: with an integer among them,
// Codex CLI 0.166 shows no form and accepts with nothing in it. For the same
// reason every reply is checked against its form.
#ifndef TROIKA_MCP_ELICITATION_H_
#define TROIKA_MCP_ELICITATION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "rpc/message.h"

namespace troika::mcp {

struct FormField {
  enum class Type { kText, kChoice, kBoolean };
  std::string name;
  Type type = Type::kText;
  std::string title;
  std::vector<std::string> choices = {};
  bool required = false;
};

struct Form {
  std::string message;
  std::vector<FormField> fields;
};

// The parameters of `elicitation/create`.
std::string FormParams(const Form& form);

// The request of the generation that has sessions.
std::string FormRequestLine(const rpc::Id& id, const Form& form);

// The result of the stateless generation: the client repeats its request with
// `inputResponses` of that name, and with `state`.
std::string InputRequiredResult(absl::string_view name, const Form& form,
                                absl::string_view state);
// {"NAME":{"method":"elicitation/create","params":{…}}}
std::string InputRequests(absl::string_view name, const Form& form);

struct FormReply {
  enum class Action { kAccept, kDecline, kCancel };
  Action action = Action::kCancel;
  // With kAccept. Booleans are "true" or "false"; fields that were left empty
  // are not here.
  std::map<std::string, std::string> values;

  std::string Get(const std::string& name) const {
    const auto it = values.find(name);
    return it == values.end() ? "" : it->second;
  }
};

// InvalidArgument if `result` is no reply to that form.
absl::StatusOr<FormReply> ReadFormReply(const Form& form, json::Value result);

}  // namespace troika::mcp

#endif  // TROIKA_MCP_ELICITATION_H_
