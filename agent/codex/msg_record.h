// The types of the `{"id","msg":{"type":…}}` dialect. They borrow from the
// line.
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

// The first lines: settings, then the prompt.
struct Settings {
  absl::string_view model;
  absl::string_view workdir;
  absl::string_view sandbox;
  absl::string_view approval;
  absl::string_view prompt;
};

// All message types in one: which fields are there depends on `type`.
struct Msg {
  absl::string_view type;
  absl::string_view text;
  absl::string_view message;
  absl::string_view delta;
  absl::string_view call_id;
  json::Value command;  // An array of words.
  absl::string_view cwd;
  absl::string_view chunk;  // Base64.
  absl::string_view stdout_text;
  absl::string_view stderr_text;
  json::Value aggregated_output;
  std::optional<int64_t> exit_code;
  json::Value duration;  // {secs, nanos}
  json::Value changes;   // By path.
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
// The thread's total in a token_count's info; missing where it has none.
json::Value TotalUsage(json::Value info, Drift* /*nullable*/ drift);

std::optional<absl::Duration> ReadDuration(json::Value duration);
// A command's words as one line that a shell would read back.
std::string CommandLine(json::Value words);
// A map by path, as the list [{"path","kind",…}] that newer versions print.
std::string ChangesJson(json::Value changes);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_MSG_RECORD_H_
