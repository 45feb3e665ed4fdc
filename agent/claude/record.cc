#include "agent/claude/record.h"

namespace troika::claude {
namespace {

// The fields that we use are listed in the order in which the newest version
// writes them, because ReadFields is fastest then.

constexpr RecordField<MessageLine> kMessageLine[] = {
    {"message", &MessageLine::message},
    {"parent_tool_use_id", &MessageLine::parent_tool_use_id},
    {"tool_use_result", &MessageLine::tool_use_result},
    {"isReplay", &MessageLine::is_replay},
    {"isSynthetic", &MessageLine::is_synthetic},
    {"uuid", &MessageLine::uuid},
    {"type, session_id, timestamp, tool_result_meta, error, "
     "request_id, subagent_type, task_description, tool_use_meta, "
     "is_api_error_message, api_error_status, api_error_type, "
     "thinking_duration_ms, thinking_display, agent_id"},
};

constexpr RecordField<ApiMessage> kApiMessage[] = {
    {"id", &ApiMessage::id},
    {"content", &ApiMessage::content},
    {"usage", &ApiMessage::usage},
    {"type, role, model, stop_reason, stop_sequence, "
     "context_management, container, stop_details, diagnostics"},
};

constexpr RecordField<Block> kBlock[] = {
    {"tool_use_id", &Block::tool_use_id},
    {"type", &Block::type},
    {"text", &Block::text},
    {"thinking", &Block::thinking},
    {"id", &Block::id},
    {"name", &Block::name},
    {"input", &Block::input},
    {"content", &Block::content},
    {"is_error", &Block::is_error},
    {"server_name", &Block::server_name},
    {"signature, caller, data, source, citations, cache_control, title, "
     "url, encrypted_content, page_age, tool_name"},
};

constexpr RecordField<TokenUsage> kTokenUsage[] = {
    {"input_tokens", &TokenUsage::input_tokens},
    {"cache_creation_input_tokens", &TokenUsage::cache_creation_input_tokens},
    {"cache_read_input_tokens", &TokenUsage::cache_read_input_tokens},
    {"output_tokens", &TokenUsage::output_tokens},
    {"output_tokens_details", &TokenUsage::output_tokens_details},
    {"server_tool_use, service_tier, cache_creation, inference_geo, "
     "iterations, speed, fallback_credit"},
};

constexpr RecordField<OutputTokens> kOutputTokens[] = {
    {"thinking_tokens", &OutputTokens::thinking_tokens},
};

constexpr RecordField<ToolUseResult> kToolUseResult[] = {
    {"task", &ToolUseResult::task},
    {"tasks", &ToolUseResult::tasks},
    {"success", &ToolUseResult::success},
    {"durationMs", &ToolUseResult::duration},
    {"totalDurationMs", &ToolUseResult::total_duration},
};

constexpr RecordField<StreamLine> kStreamLine[] = {
    {"event", &StreamLine::event},
    {"parent_tool_use_id", &StreamLine::parent_tool_use_id},
    {"type, session_id, uuid, ttft_ms, thinking_display, api_message_id"},
};

constexpr RecordField<StreamEvent> kStreamEvent[] = {
    {"type", &StreamEvent::type},
    {"index", &StreamEvent::index},
    {"message", &StreamEvent::message},
    {"content_block", &StreamEvent::content_block},
    {"delta", &StreamEvent::delta},
    {"usage", &StreamEvent::usage},
    {"error", &StreamEvent::error},
    {"context_management"},
};

constexpr RecordField<Delta> kDelta[] = {
    {"type", &Delta::type},
    {"text", &Delta::text},
    {"thinking", &Delta::thinking},
    {"partial_json, signature, citation, stop_reason, stop_sequence, "
     "stop_details, container"},
};

constexpr RecordField<ApiError> kApiError[] = {
    {"type", &ApiError::type},
    {"message", &ApiError::message},
    {"details, status, name"},
};

constexpr RecordField<InitLine> kInitLine[] = {
    {"cwd", &InitLine::cwd},
    {"session_id", &InitLine::session_id},
    {"tools", &InitLine::tools},
    {"mcp_servers", &InitLine::mcp_servers},
    {"mcpServers", &InitLine::mcp_servers},  // 0.2.118
    {"model", &InitLine::model},
    {"permissionMode", &InitLine::permission_mode},
    {"claude_code_version", &InitLine::version},
    {"type, subtype, slash_commands, terminal_slash_commands, "
     "apiKeySource, output_style, agents, skills, plugins, "
     "capabilities, analytics_disabled, product_feedback_disabled, "
     "original_cwd, additional_directories, uuid, memory_paths, "
     "messaging_socket_path, fast_mode_state, "
     "fast_mode_disabled_reason, per_turn_effort_active, "
     "ultrathink_available, ultrathink_typed_raises, view_mode"},
};

constexpr RecordField<TaskLine> kTaskLine[] = {
    {"task_id", &TaskLine::task_id},
    {"tool_use_id", &TaskLine::tool_use_id},
    {"description", &TaskLine::description},
    {"subagent_type", &TaskLine::subagent_type},
    {"task_type", &TaskLine::task_type},
    {"patch", &TaskLine::patch},
    {"status", &TaskLine::status},
    {"summary", &TaskLine::summary},
    {"type, subtype, prompt, output_file, usage, last_tool_name, uuid, "
     "session_id, run_id, is_backgrounded, awaited, spawn_depth, "
     "parent_task_id, owned_by_subagent, workflow_name, "
     "skip_transcript, ambient, reason"},
};

constexpr RecordField<TaskPatch> kTaskPatch[] = {
    {"status", &TaskPatch::status},
    {"description", &TaskPatch::description},
    {"error", &TaskPatch::error},
    {"end_time, total_paused_ms, is_backgrounded"},
};

constexpr RecordField<HookLine> kHookLine[] = {
    {"hook_name", &HookLine::name},
    {"hook_event", &HookLine::event},
    {"output", &HookLine::output},
    {"stdout", &HookLine::stdout_text},
    {"stderr", &HookLine::stderr_text},
    {"exit_code", &HookLine::exit_code},
    {"outcome", &HookLine::outcome},
    {"type, subtype, hook_id, uuid, session_id"},
};

constexpr RecordField<SystemLine> kSystemLine[] = {
    {"status", &SystemLine::status},
    {"permissionMode", &SystemLine::permission_mode},
    {"attempt", &SystemLine::attempt},
    {"retryAttempt", &SystemLine::attempt},
    {"max_retries", &SystemLine::max_retries},
    {"maxRetries", &SystemLine::max_retries},
    {"retry_delay_ms", &SystemLine::retry_delay},
    {"retryInMs", &SystemLine::retry_delay},
    {"error_status", &SystemLine::error_status},
    {"error", &SystemLine::error},
    {"tool_name", &SystemLine::tool_name},
    {"tool_use_id", &SystemLine::tool_use_id},
    {"message", &SystemLine::message},
    {"content", &SystemLine::content},
    {"compact_metadata", &SystemLine::compact_metadata},
    {"type, subtype, estimated_tokens, estimated_tokens_delta, "
     "session_id, uuid, cause, level, timestamp"},
};

constexpr RecordField<CompactMetadata> kCompactMetadata[] = {
    {"trigger", &CompactMetadata::trigger},
    {"pre_tokens", &CompactMetadata::pre_tokens},
    {"post_tokens", &CompactMetadata::post_tokens},
    {"duration_ms"},
};

constexpr RecordField<ResultLine> kResultLine[] = {
    {"total_cost_usd", &ResultLine::total_cost},
    {"usage", &ResultLine::usage},
    {"terminal_reason", &ResultLine::terminal_reason},
    {"is_error", &ResultLine::is_error},
    {"subtype", &ResultLine::subtype},
    {"errors", &ResultLine::errors},
    {"result", &ResultLine::result},
    {"duration_ms", &ResultLine::duration},
    {"model_usage_since_last_result",
     &ResultLine::model_usage_since_last_result},
    {"total_cost", &ResultLine::total_cost},  // 0.2
    {"cost_usd", &ResultLine::cost},          // 0.2
    {"permission_denials", &ResultLine::permission_denials},
    {"duration_api_ms, stop_reason, session_id, modelUsage, origin, "
     "structured_output, fast_mode_state, "
     "fast_mode_disabled_reason, subagent_stats, safety_stops, "
     "num_turns, api_error_status, api_error_type, ttft_ms, type, uuid, "
     "ttft_stream_ms, time_to_request_ms, first_content_frame_ms, "
     "queued_turn_count, result_index"},
};

constexpr RecordField<PermissionDenial> kPermissionDenial[] = {
    {"tool_name", &PermissionDenial::tool_name},
    {"tool_use_id", &PermissionDenial::tool_use_id},
    {"tool_input"},
};

constexpr RecordField<RateLimitInfo> kRateLimitInfo[] = {
    {"type", &RateLimitInfo::type},
    {"rate_limit_info", &RateLimitInfo::nested},
    {"status", &RateLimitInfo::status},
    {"resetsAt", &RateLimitInfo::resets_at},
    {"rateLimitType", &RateLimitInfo::window},
    {"utilization", &RateLimitInfo::utilization},
    {"unifiedWindows", &RateLimitInfo::unified_windows},
    {"overageStatus, overageResetsAt, overageDisabledReason, "
     "isUsingOverage, overageInUse, surpassedThreshold, uuid, session_id"},
};

constexpr RecordField<ControlLine> kControlLine[] = {
    {"request_id", &ControlLine::request_id},
    {"request", &ControlLine::request},
    {"response", &ControlLine::response},
    {"type, uuid, session_id"},
};

constexpr RecordField<PermissionRequest> kPermissionRequest[] = {
    {"tool_name", &PermissionRequest::tool_name},
    {"input", &PermissionRequest::input},
    {"description", &PermissionRequest::description},
    {"blocked_path", &PermissionRequest::blocked_path},
    {"decision_reason", &PermissionRequest::decision_reason},
    {"tool_use_id", &PermissionRequest::tool_use_id},
    {"agent_id", &PermissionRequest::agent_id},
    {"permission_suggestions", &PermissionRequest::suggestions},
    {"subtype, display_name, "
     "decision_reason_type, decision_reason_code, "
     "decision_reason_rule_source, decision_reason_hook_event, "
     "decision_reason_hook_source, decision_reason_hook_plugin_id, "
     "server_policy_ask_only, classifier_approvable, "
     "suppress_always_allow_rule, default_to_no, matched_ask_rule, "
     "requires_user_interaction, mcp_server, title, plugin"},
};

constexpr RecordField<ControlResponse> kControlResponse[] = {
    {"subtype", &ControlResponse::subtype},
    {"request_id", &ControlResponse::request_id},
    {"response", &ControlResponse::response},
    {"error", &ControlResponse::error},
    {"pending_permission_requests, pending_user_dialog_requests"},
};

constexpr RecordField<PermissionAnswer> kPermissionAnswer[] = {
    {"behavior", &PermissionAnswer::behavior},
    {"message", &PermissionAnswer::message},
    {"updatedInput", &PermissionAnswer::updated_input},
    {"updatedPermissions", &PermissionAnswer::updated_permissions},
    {"interrupt", &PermissionAnswer::interrupt},
};

}  // namespace

TROIKA_READ(MessageLine)
TROIKA_READ(ApiMessage)
TROIKA_READ(Block)
TROIKA_READ(TokenUsage)
TROIKA_READ(OutputTokens)
TROIKA_READ(ToolUseResult)
TROIKA_READ(StreamLine)
TROIKA_READ(StreamEvent)
TROIKA_READ(Delta)
TROIKA_READ(ApiError)
TROIKA_READ(InitLine)
TROIKA_READ(TaskLine)
TROIKA_READ(TaskPatch)
TROIKA_READ(HookLine)
TROIKA_READ(SystemLine)
TROIKA_READ(CompactMetadata)
TROIKA_READ(ResultLine)
TROIKA_READ(PermissionDenial)
TROIKA_READ(RateLimitInfo)
TROIKA_READ(ControlLine)
TROIKA_READ(PermissionRequest)
TROIKA_READ(ControlResponse)
TROIKA_READ(PermissionAnswer)

}  // namespace troika::claude
