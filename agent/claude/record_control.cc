#include "agent/claude/record.h"

// Field tables of the control lines.
namespace troika::claude {
namespace {

constexpr RecordField<ControlLine> kControlLine[] = {
    {"type"},
    {"request_id", &ControlLine::request_id},
    {"request", &ControlLine::request},
    {"response", &ControlLine::response},
    {"uuid"},
    {"session_id"},
};

constexpr RecordField<PermissionRequest> kPermissionRequest[] = {
    {"subtype"},
    {"tool_name", &PermissionRequest::tool_name},
    {"display_name"},
    {"input", &PermissionRequest::input},
    {"description", &PermissionRequest::description},
    {"permission_suggestions"},
    {"blocked_path", &PermissionRequest::blocked_path},
    {"decision_reason", &PermissionRequest::decision_reason},
    {"tool_use_id", &PermissionRequest::tool_use_id},
    {"agent_id"},
    {"decision_reason_type"},
    {"decision_reason_code"},
    {"decision_reason_rule_source"},
    {"decision_reason_hook_event"},
    {"decision_reason_hook_source"},
    {"decision_reason_hook_plugin_id"},
    {"server_policy_ask_only"},
    {"classifier_approvable"},
    {"suppress_always_allow_rule"},
    {"default_to_no"},
    {"matched_ask_rule"},
    {"requires_user_interaction"},
    {"mcp_server"},
    {"title"},
    {"plugin"},
};

constexpr RecordField<ControlResponse> kControlResponse[] = {
    {"subtype", &ControlResponse::subtype},
    {"request_id", &ControlResponse::request_id},
    {"response", &ControlResponse::response},
    {"error", &ControlResponse::error},
    {"pending_permission_requests"},
    {"pending_user_dialog_requests"},
};

constexpr RecordField<PermissionAnswer> kPermissionAnswer[] = {
    {"behavior", &PermissionAnswer::behavior},
    {"message", &PermissionAnswer::message},
    {"updatedInput", &PermissionAnswer::updated_input},
};

}  // namespace

TROIKA_READ(ControlLine)
TROIKA_READ(PermissionRequest)
TROIKA_READ(ControlResponse)
TROIKA_READ(PermissionAnswer)

}  // namespace troika::claude
