#include "agent/gemini/record.h"

namespace troika::gemini {
namespace {

constexpr RecordField<InitLine> kInitLine[] = {
    {"session_id", &InitLine::session_id},
    {"model", &InitLine::model},
    {"type, timestamp"},
};

constexpr RecordField<MessageLine> kMessageLine[] = {
    {"role", &MessageLine::role},
    {"content", &MessageLine::content},
    {"delta", &MessageLine::delta},
    {"type, timestamp"},
};

constexpr RecordField<ToolUseLine> kToolUseLine[] = {
    {"tool_name", &ToolUseLine::tool_name},
    {"tool_id", &ToolUseLine::tool_id},
    {"parameters", &ToolUseLine::parameters},
    {"type, timestamp"},
};

constexpr RecordField<ToolResultLine> kToolResultLine[] = {
    {"tool_id", &ToolResultLine::tool_id},
    {"status", &ToolResultLine::status},
    {"output", &ToolResultLine::output},
    {"error", &ToolResultLine::error},
    {"type, timestamp"},
};

constexpr RecordField<ErrorInfo> kErrorInfoFields[] = {
    {"type", &ErrorInfo::type},
    {"message", &ErrorInfo::message},
};

constexpr RecordField<ErrorLine> kErrorLine[] = {
    {"severity", &ErrorLine::severity},
    {"message", &ErrorLine::message},
    {"type, timestamp"},
};

constexpr RecordField<ResultLine> kResultLine[] = {
    {"status", &ResultLine::status},
    {"error", &ResultLine::error},
    {"stats", &ResultLine::stats},
    {"type, timestamp"},
};

constexpr RecordField<Stats> kStatsFields[] = {
    {"input_tokens", &Stats::input_tokens},
    {"output_tokens", &Stats::output_tokens},
    {"cached", &Stats::cached},
    {"input", &Stats::input},
    {"duration_ms", &Stats::duration},
    {"models", &Stats::models},
    {"total_tokens, tool_calls"},
};

struct ModelStats {};

constexpr RecordField<ModelStats> kModelFields[] = {
    {"total_tokens, input_tokens, output_tokens, cached, input"},
};

constexpr RecordField<TodoEntry> kTodoFields[] = {
    {"description", &TodoEntry::description},
    {"status", &TodoEntry::status},
};

constexpr RecordField<AgentCall> kAgentFields[] = {
    {"agent_name", &AgentCall::agent_name},
    {"prompt", &AgentCall::prompt},
};

template <typename T, size_t N>
T ReadRecord(json::Value value, const RecordField<T> (&fields)[N],
             const FieldScope& scope) {
  T record;
  ReadFields(value, fields, scope, &record);
  if (scope.drift && value.exists() && !value.IsObject()) {
    scope.drift->UnknownType(scope.where, json::TypeName(value.type()));
  }
  return record;
}

}  // namespace

TROIKA_READ(InitLine)
TROIKA_READ(MessageLine)
TROIKA_READ(ToolUseLine)
TROIKA_READ(ToolResultLine)
TROIKA_READ(ErrorLine)
TROIKA_READ(ResultLine)

ErrorInfo ReadErrorInfo(json::Value error, const FieldScope& scope) {
  ErrorInfo info = ReadRecord(error, kErrorInfoFields, scope);
  if (error.IsString()) info.message = error.StringOr("");
  return info;
}

Stats ReadStats(json::Value stats, Drift* drift) {
  const Stats record = ReadRecord(stats, kStatsFields, {drift, "result.stats"});
  // Models are read only to report unknown fields.
  if (drift) {
    for (const json::Member& model : record.models.members()) {
      ReadRecord(model.value, kModelFields, {drift, "result.stats.models.*"});
    }
  }
  return record;
}

TodoEntry ReadTodoEntry(json::Value entry, Drift* drift) {
  return ReadRecord(entry, kTodoFields, {drift, "tool_use.parameters.todos[]"});
}

AgentCall ReadAgentCall(json::Value parameters, Drift* drift) {
  return ReadRecord(parameters, kAgentFields, {drift, "tool_use.parameters"});
}

}  // namespace troika::gemini
