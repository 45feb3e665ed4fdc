#include "agent/codex/msg_record.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agent/fields.h"
#include "base/json_writer.h"

namespace troika::codex {
namespace {

constexpr RecordField<Settings> kSettingsFields[] = {
    {"model", &Settings::model},
    {"workdir", &Settings::workdir},
    {"sandbox", &Settings::sandbox},
    {"approval", &Settings::approval},
    {"prompt", &Settings::prompt},
    {"provider"},
    {"reasoning effort"},
    {"reasoning summaries"},
};

constexpr RecordField<Msg> kMsgFields[] = {
    {"type", &Msg::type},
    {"call_id", &Msg::call_id},
    {"command", &Msg::command},
    {"cwd", &Msg::cwd},
    {"parsed_cmd"},
    {"stream"},
    {"chunk", &Msg::chunk},
    {"stdout", &Msg::stdout_text},
    {"stderr", &Msg::stderr_text},
    {"aggregated_output", &Msg::aggregated_output},
    {"exit_code", &Msg::exit_code},
    {"duration", &Msg::duration},
    {"formatted_output"},
    {"text", &Msg::text},
    {"message", &Msg::message},
    {"delta", &Msg::delta},
    {"auto_approved"},
    {"changes", &Msg::changes},
    {"success", &Msg::success},
    {"invocation", &Msg::invocation},
    {"result", &Msg::result},
    {"query", &Msg::query},
    {"explanation"},
    {"plan", &Msg::plan},
    {"info", &Msg::info},
    {"rate_limits", &Msg::rate_limits},
    {"unified_diff", &Msg::unified_diff},
    {"last_agent_message", &Msg::last_agent_message},
    {"reason", &Msg::reason},
    {"model_context_window"},
    {"session_id", &Msg::session_id},
    {"model", &Msg::model},
    {"reasoning_effort"},
    {"history_log_id"},
    {"history_entry_count"},
    {"initial_messages"},
    {"rollout_path"},
};

constexpr RecordField<PlanStep> kPlanStepFields[] = {
    {"step", &PlanStep::step},
    {"status", &PlanStep::status},
};

constexpr RecordField<Invocation> kInvocationFields[] = {
    {"server", &Invocation::server},
    {"tool", &Invocation::tool},
    {"arguments", &Invocation::arguments},
};

struct TokenInfo {
  json::Value total;
};

constexpr RecordField<TokenInfo> kTokenInfoFields[] = {
    {"total_token_usage", &TokenInfo::total},
    {"last_token_usage"},
    {"model_context_window"},
};

bool NeedsNoQuotes(absl::string_view word) {
  constexpr absl::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"
      "=:,+@%";
  return !word.empty() &&
         word.find_first_not_of(kPlain) == absl::string_view::npos;
}

}  // namespace

Settings ReadSettings(json::Value line, Drift* drift) {
  Settings out;
  ReadFields(line, kSettingsFields, {drift, "settings"}, &out);
  return out;
}

Msg ReadMsg(json::Value msg, Drift* drift) {
  Msg out;
  ReadFields(msg, kMsgFields, {drift, "msg"}, &out);
  return out;
}

PlanStep ReadPlanStep(json::Value step, Drift* drift) {
  PlanStep out;
  ReadFields(step, kPlanStepFields, {drift, "msg.plan[]"}, &out);
  return out;
}

Invocation ReadInvocation(json::Value invocation, Drift* drift) {
  Invocation out;
  ReadFields(invocation, kInvocationFields, {drift, "msg.invocation"}, &out);
  return out;
}

json::Value TotalUsage(json::Value info, Drift* drift) {
  TokenInfo out;
  ReadFields(info, kTokenInfoFields, {drift, "msg.info"}, &out);
  return out.total;
}

std::optional<absl::Duration> ReadDuration(json::Value duration) {
  const std::optional<int64_t> seconds = duration.Get("secs").Int();
  const std::optional<int64_t> nanos = duration.Get("nanos").Int();
  if (!seconds || *seconds < 0) return std::nullopt;
  return absl::Seconds(*seconds) + absl::Nanoseconds(nanos.value_or(0));
}

std::string CommandLine(json::Value words) {
  if (words.IsString()) return std::string(words.StringOr(""));
  std::string line;
  for (const json::Value value : words.items()) {
    const absl::string_view word = value.StringOr("");
    if (!line.empty()) line.push_back(' ');
    if (NeedsNoQuotes(word)) {
      absl::StrAppend(&line, word);
    } else {
      absl::StrAppend(&line, "'", absl::StrReplaceAll(word, {{"'", "'\\''"}}),
                      "'");
    }
  }
  return line;
}

std::string ChangesJson(json::Value changes) {
  std::string out = "[";
  for (const json::Member& file : changes.members()) {
    json::ObjectWriter change;
    change.String("path", file.key);
    for (const json::Member& kind : file.value.members()) {
      change.String("kind", kind.key).Members(kind.value);
      break;  // A change has only one kind.
    }
    absl::StrAppend(&out, out.size() > 1 ? "," : "", change.Take());
  }
  out.push_back(']');
  return out;
}

}  // namespace troika::codex
