#include "agent/acp/record.h"

namespace troika::acp {
namespace {

constexpr RecordField<InitializeResult> kInitializeResult[] = {
    {"protocolVersion", &InitializeResult::protocol_version},
    {"authMethods", &InitializeResult::auth_methods},
    {"agentInfo", &InitializeResult::agent_info},
    {"agentCapabilities", &InitializeResult::agent_capabilities},
    {"_meta"},
};

constexpr RecordField<AgentCapabilities> kAgentCapabilities[] = {
    {"loadSession", &AgentCapabilities::load_session},
    {"promptCapabilities", &AgentCapabilities::prompt},
    {"sessionCapabilities", &AgentCapabilities::session},
    {"mcpCapabilities, auth, providers, _meta"},
};

constexpr RecordField<SessionResult> kSessionResult[] = {
    {"sessionId", &SessionResult::session_id},
    {"modes", &SessionResult::modes},
    {"models", &SessionResult::models},
    {"configOptions", &SessionResult::config_options},
    {"_meta"},
};

constexpr RecordField<PromptResult> kPromptResult[] = {
    {"stopReason", &PromptResult::stop_reason},
    {"usage", &PromptResult::usage},
    {"_meta", &PromptResult::meta},
};

constexpr RecordField<PromptUsage> kPromptUsage[] = {
    {"inputTokens", &PromptUsage::input},
    {"outputTokens", &PromptUsage::output},
    {"thoughtTokens", &PromptUsage::thought},
    {"cachedReadTokens", &PromptUsage::cached_read},
    {"cachedWriteTokens", &PromptUsage::cached_write},
    {"totalTokens, _meta"},
};

constexpr RecordField<TokenQuota> kTokenQuota[] = {
    {"input_tokens", &TokenQuota::input},
    {"output_tokens", &TokenQuota::output},
};

constexpr RecordField<UpdateParams> kUpdateParams[] = {
    {"sessionId", &UpdateParams::session_id},
    {"update", &UpdateParams::update},
    {"_meta"},
};

constexpr RecordField<Chunk> kChunk[] = {
    {"content", &Chunk::content},
    {"sessionUpdate, messageId, _meta"},
};

constexpr RecordField<ToolCall> kToolCall[] = {
    {"toolCallId", &ToolCall::id},
    {"status", &ToolCall::status},
    {"title", &ToolCall::title},
    {"name", &ToolCall::name},
    {"content", &ToolCall::content},
    {"locations", &ToolCall::locations},
    {"kind", &ToolCall::kind},
    {"rawInput", &ToolCall::raw_input},
    {"rawOutput", &ToolCall::raw_output},
    {"_meta", &ToolCall::meta},
    {"sessionUpdate"},
};

constexpr RecordField<ModeUpdate> kModeUpdate[] = {
    {"currentModeId", &ModeUpdate::mode},
    {"sessionUpdate, _meta"},
};

constexpr RecordField<NoticeUpdate> kNoticeUpdate[] = {
    {"severity", &NoticeUpdate::severity},
    {"title", &NoticeUpdate::title},
    {"description", &NoticeUpdate::description},
    {"sessionUpdate, _meta"},
};

constexpr RecordField<CompactionUpdate> kCompactionUpdate[] = {
    {"status", &CompactionUpdate::status},
    {"sessionUpdate, compactionId, summary, error, _meta"},
};

constexpr RecordField<PlanUpdate> kPlanUpdate[] = {
    {"entries", &PlanUpdate::entries},
    {"sessionUpdate, _meta"},
};

constexpr RecordField<PlanEntry> kPlanEntry[] = {
    {"content", &PlanEntry::content},
    {"status", &PlanEntry::status},
    {"priority, _meta"},
};

constexpr RecordField<PermissionParams> kPermissionParams[] = {
    {"sessionId", &PermissionParams::session_id},
    {"options", &PermissionParams::options},
    {"toolCall", &PermissionParams::tool_call},
    {"_meta"},
};

constexpr RecordField<PermissionOption> kPermissionOption[] = {
    {"optionId", &PermissionOption::id},
    {"name", &PermissionOption::name},
    {"kind", &PermissionOption::kind},
    {"_meta"},
};

}  // namespace

TROIKA_READ(InitializeResult)
TROIKA_READ(AgentCapabilities)
TROIKA_READ(SessionResult)
TROIKA_READ(PromptResult)
TROIKA_READ(PromptUsage)
TROIKA_READ(TokenQuota)
TROIKA_READ(UpdateParams)
TROIKA_READ(Chunk)
TROIKA_READ(ToolCall)
TROIKA_READ(ModeUpdate)
TROIKA_READ(NoticeUpdate)
TROIKA_READ(CompactionUpdate)
TROIKA_READ(PlanUpdate)
TROIKA_READ(PlanEntry)
TROIKA_READ(PermissionParams)
TROIKA_READ(PermissionOption)

}  // namespace troika::acp
