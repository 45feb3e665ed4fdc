#include "agent/claude/record.h"

namespace troika::claude {
namespace {

// Fields are listed in the order in which the newest version writes them,
// because ReadFields is fastest then.

constexpr RecordField<MessageLine> kMessageLine[] = {
    {"type"},
    {"message", &MessageLine::message},
    {"parent_tool_use_id", &MessageLine::parent_tool_use_id},
    {"session_id"},
    {"uuid"},
    {"timestamp"},
    {"tool_use_result", &MessageLine::tool_use_result},
    {"tool_result_meta"},
    {"error"},
    {"request_id"},
    {"isReplay", &MessageLine::is_replay},
    {"isSynthetic", &MessageLine::is_synthetic},
    {"subagent_type"},
    {"task_description"},
    {"tool_use_meta"},
    {"is_api_error_message"},
    {"api_error_status"},
    {"api_error_type"},
    {"thinking_duration_ms"},
    {"thinking_display"},
};

constexpr RecordField<ApiMessage> kApiMessage[] = {
    {"id", &ApiMessage::id},
    {"type"},
    {"role"},
    {"model"},
    {"content", &ApiMessage::content},
    {"stop_reason"},
    {"stop_sequence"},
    {"usage", &ApiMessage::usage},
    {"context_management"},
    {"container"},
    {"stop_details"},
    {"diagnostics"},
};

constexpr RecordField<Block> kBlock[] = {
    {"tool_use_id", &Block::tool_use_id},
    {"type", &Block::type},
    {"text", &Block::text},
    {"thinking", &Block::thinking},
    {"signature"},
    {"id", &Block::id},
    {"name", &Block::name},
    {"input", &Block::input},
    {"content", &Block::content},
    {"is_error", &Block::is_error},
    {"server_name", &Block::server_name},
    {"caller"},
    {"data"},
    {"source"},
    {"citations"},
    {"cache_control"},
    // Fields of search results.
    {"title"},
    {"url"},
    {"encrypted_content"},
    {"page_age"},
    {"tool_name"},
};

constexpr RecordField<TokenUsage> kTokenUsage[] = {
    {"input_tokens", &TokenUsage::input_tokens},
    {"cache_creation_input_tokens", &TokenUsage::cache_creation_input_tokens},
    {"cache_read_input_tokens", &TokenUsage::cache_read_input_tokens},
    {"output_tokens", &TokenUsage::output_tokens},
    {"output_tokens_details", &TokenUsage::output_tokens_details},
    {"server_tool_use"},
    {"service_tier"},
    {"cache_creation"},
    {"inference_geo"},
    {"iterations"},
    {"speed"},
    {"fallback_credit"},
};

constexpr RecordField<OutputTokens> kOutputTokens[] = {
    {"thinking_tokens", &OutputTokens::thinking_tokens},
};

constexpr RecordField<ToolUseResult> kToolUseResult[] = {
    {"task", &ToolUseResult::task},
    {"tasks", &ToolUseResult::tasks},
    {"success", &ToolUseResult::success},
    {"durationMs", &ToolUseResult::duration_ms},
    {"totalDurationMs", &ToolUseResult::total_duration_ms},
};

constexpr RecordField<StreamLine> kStreamLine[] = {
    {"type"},
    {"event", &StreamLine::event},
    {"session_id"},
    {"parent_tool_use_id", &StreamLine::parent_tool_use_id},
    {"uuid"},
    {"ttft_ms"},
    {"thinking_display"},
    {"api_message_id"},
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
    {"partial_json"},
    {"signature"},
    {"citation"},
    {"stop_reason"},
    {"stop_sequence"},
    {"stop_details"},
    {"container"},
};

constexpr RecordField<ApiError> kApiError[] = {
    {"type", &ApiError::type},
    {"message", &ApiError::message},
    {"details"},
    // Field of the CLI's own errors.
    {"status"},
    {"name"},
};

constexpr RecordField<InitLine> kInitLine[] = {
    {"type"},
    {"subtype"},
    {"cwd", &InitLine::cwd},
    {"session_id", &InitLine::session_id},
    {"tools", &InitLine::tools},
    {"mcp_servers", &InitLine::mcp_servers},
    {"mcpServers", &InitLine::mcp_servers},  // 0.2.118
    {"model", &InitLine::model},
    {"permissionMode", &InitLine::permission_mode},
    {"slash_commands"},
    {"terminal_slash_commands"},
    {"apiKeySource"},
    {"claude_code_version", &InitLine::version},
    {"output_style"},
    {"agents"},
    {"skills"},
    {"plugins"},
    {"capabilities"},
    {"analytics_disabled"},
    {"product_feedback_disabled"},
    {"original_cwd"},
    {"additional_directories"},
    {"uuid"},
    {"memory_paths"},
    {"messaging_socket_path"},
    {"fast_mode_state"},
    {"fast_mode_disabled_reason"},
    {"per_turn_effort_active"},
    {"ultrathink_available"},
    {"ultrathink_typed_raises"},
    {"view_mode"},
};

constexpr RecordField<TaskLine> kTaskLine[] = {
    {"type"},
    {"subtype"},
    {"task_id", &TaskLine::task_id},
    {"tool_use_id", &TaskLine::tool_use_id},
    {"description", &TaskLine::description},
    {"subagent_type", &TaskLine::subagent_type},
    {"task_type", &TaskLine::task_type},
    {"prompt"},
    {"patch", &TaskLine::patch},
    {"status", &TaskLine::status},
    {"output_file"},
    {"summary", &TaskLine::summary},
    {"usage"},
    {"last_tool_name"},
    {"uuid"},
    {"session_id"},
    {"run_id"},
    {"is_backgrounded"},
    {"awaited"},
    {"spawn_depth"},
    {"parent_task_id"},
    {"owned_by_subagent"},
    {"workflow_name"},
    {"skip_transcript"},
    {"ambient"},
    {"reason"},
};

constexpr RecordField<TaskPatch> kTaskPatch[] = {
    {"status", &TaskPatch::status},
    {"description", &TaskPatch::description},
    {"error", &TaskPatch::error},
    {"end_time"},
    {"total_paused_ms"},
    {"is_backgrounded"},
};

constexpr RecordField<HookLine> kHookLine[] = {
    {"type"},
    {"subtype"},
    {"hook_id"},
    {"hook_name", &HookLine::name},
    {"hook_event", &HookLine::event},
    {"output", &HookLine::output},
    {"stdout", &HookLine::stdout_text},
    {"stderr", &HookLine::stderr_text},
    {"exit_code", &HookLine::exit_code},
    {"outcome", &HookLine::outcome},
    {"uuid"},
    {"session_id"},
};

constexpr RecordField<SystemLine> kSystemLine[] = {
    {"type"},
    {"subtype"},
    {"status", &SystemLine::status},
    {"permissionMode", &SystemLine::permission_mode},
    {"estimated_tokens"},
    {"estimated_tokens_delta"},
    {"session_id"},
    {"uuid"},
    {"attempt", &SystemLine::attempt},
    {"retryAttempt", &SystemLine::attempt},
    {"max_retries", &SystemLine::max_retries},
    {"maxRetries", &SystemLine::max_retries},
    {"retry_delay_ms", &SystemLine::retry_delay_ms},
    {"retryInMs", &SystemLine::retry_delay_ms},
    {"error_status", &SystemLine::error_status},
    {"error", &SystemLine::error},
    {"cause"},
    {"level"},
    {"tool_name", &SystemLine::tool_name},
    {"tool_use_id"},
    {"message", &SystemLine::message},
    {"content", &SystemLine::content},
    {"compact_metadata", &SystemLine::compact_metadata},
    {"timestamp"},
};

constexpr RecordField<CompactMetadata> kCompactMetadata[] = {
    {"trigger", &CompactMetadata::trigger},
    {"pre_tokens", &CompactMetadata::pre_tokens},
    {"post_tokens", &CompactMetadata::post_tokens},
    {"duration_ms"},
};

constexpr RecordField<ResultLine> kResultLine[] = {
    {"duration_api_ms"},
    {"stop_reason"},
    {"session_id"},
    {"total_cost_usd", &ResultLine::total_cost},
    {"usage", &ResultLine::usage},
    {"modelUsage"},
    {"origin"},
    {"permission_denials"},
    {"structured_output"},
    {"terminal_reason", &ResultLine::terminal_reason},
    {"fast_mode_state"},
    {"fast_mode_disabled_reason"},
    {"subagent_stats"},
    {"safety_stops"},
    {"is_error", &ResultLine::is_error},
    {"num_turns"},
    {"subtype", &ResultLine::subtype},
    {"errors", &ResultLine::errors},
    {"api_error_status"},
    {"api_error_type"},
    {"result", &ResultLine::result},
    {"ttft_ms"},
    {"type"},
    {"duration_ms", &ResultLine::duration_ms},
    {"uuid"},
    {"ttft_stream_ms"},
    {"time_to_request_ms"},
    {"first_content_frame_ms"},
    {"queued_turn_count"},
    {"result_index"},
    {"model_usage_since_last_result",
     &ResultLine::model_usage_since_last_result},
    {"total_cost", &ResultLine::total_cost},  // 0.2
    {"cost_usd", &ResultLine::cost},          // 0.2
};

constexpr RecordField<RateLimitInfo> kRateLimitInfo[] = {
    {"type", &RateLimitInfo::type},
    {"rate_limit_info", &RateLimitInfo::nested},
    {"status", &RateLimitInfo::status},
    {"resetsAt", &RateLimitInfo::resets_at},
    {"rateLimitType", &RateLimitInfo::window},
    {"utilization", &RateLimitInfo::utilization},
    {"unifiedWindows", &RateLimitInfo::unified_windows},
    {"overageStatus"},
    {"overageResetsAt"},
    {"overageDisabledReason"},
    {"isUsingOverage"},
    {"overageInUse"},
    {"surpassedThreshold"},
    {"uuid"},
    {"session_id"},
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
TROIKA_READ(RateLimitInfo)

}  // namespace troika::claude
