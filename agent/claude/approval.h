// Translates Claude Code's permission requests to approvals with choices, and
// the choice that was taken to the response that the CLI expects.
#ifndef TROIKA_AGENT_CLAUDE_APPROVAL_H_
#define TROIKA_AGENT_CLAUDE_APPROVAL_H_

#include <optional>
#include <string>

#include "agent/claude/record.h"
#include "agent/message.h"
#include "agent/protocol.h"

namespace troika::claude {

// Returns the approval that `request` asks for. `id` and `tool_use_id` are
// left to the caller. `cwd` and `diff` stay empty: the request does not tell in
// which folder the shell is by now, and an edit's texts are in its input.
Approval ApprovalOf(const PermissionRequest& request);

// Returns what approve_for_session grants, as a JSON array of the request's
// suggestions; empty if the CLI suggests nothing. All of them hold for the
// session only, so that nothing is written to the user's settings. A suggestion
// to accept all edits is left out if others would do, because it grants more
// than was asked.
std::string SessionPermissions(const PermissionRequest& request);

// Returns the `response` of a control_response; nullopt if the choice of
// `answer` has no form on this wire.
std::optional<std::string> EncodeAnswer(const ApprovalAnswer& answer,
                                        const std::string& input_json,
                                        const std::string& session_permissions);

// Returns the `response` that denies, with `message` for the model.
std::string EncodeDenial(absl::string_view message);

// Returns the choice that a written response stands for.
absl::string_view ChoiceOf(const PermissionAnswer& answer);

}  // namespace troika::claude

#endif  // TROIKA_AGENT_CLAUDE_APPROVAL_H_
