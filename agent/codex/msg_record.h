// Defines the types of the `{"id","msg":{"type":…}}` dialect, which borrow from
// the parsed line.
#ifndef TROIKA_AGENT_CODEX_MSG_RECORD_H_
#define TROIKA_AGENT_CODEX_MSG_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/drift.h"
#include "base/json.h"

namespace troika::codex {

// The first line contains the settings, the second the prompt.
struct Settings {
  absl::string_view model;
  absl::string_view workdir;
  absl::string_view sandbox;
  absl::string_view approval;
  absl::string_view prompt;
};

// Combines all message types; `type` decides which fields are set.
struct Msg {
  absl::string_view type;
  absl::string_view text;
  absl::string_view message;
  absl::string_view delta;
  absl::string_view call_id;
  json::Value command;  // An array of arguments.
  absl::string_view cwd;
  absl::string_view chunk;  // Base64.
  absl::string_view stdout_text;
  absl::string_view stderr_text;
  json::Value aggregated_output;
  std::optional<int64_t> exit_code;
  json::Value duration;  // {secs, nanos}
  json::Value changes;   // An object keyed by path.
  std::optional<bool> success;
  json::Value invocation;  // {server, tool, arguments}
  json::Value result;      // {"Ok": …} or {"Err": …}
  absl::string_view query;
  json::Value plan;
  json::Value info;
  json::Value rate_limits;
  absl::string_view unified_diff;
  absl::string_view last_agent_message;
  absl::string_view reason;
  absl::string_view session_id;
  absl::string_view model;
};

struct PlanStep {
  absl::string_view step;
  absl::string_view status;
};

struct Invocation {
  absl::string_view server;
  absl::string_view tool;
  json::Value arguments;
};

Settings ReadSettings(json::Value line, Drift* /*nullable*/ drift);
Msg ReadMsg(json::Value msg, Drift* /*nullable*/ drift);
PlanStep ReadPlanStep(json::Value step, Drift* /*nullable*/ drift);
Invocation ReadInvocation(json::Value invocation, Drift* /*nullable*/ drift);
// Returns the thread's total in a token_count's info, or a missing value.
json::Value TotalUsage(json::Value info, Drift* /*nullable*/ drift);

std::optional<absl::Duration> ReadDuration(json::Value duration);
// Returns a command's arguments quoted for a shell.
std::string CommandLine(json::Value words);
// Converts a map by path to the list [{"path","kind",…}] of newer versions.
std::string ChangesJson(json::Value changes);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_MSG_RECORD_H_
