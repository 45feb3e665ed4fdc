// Defines what `codex app-server` sends as types, which borrow from the parsed
// line. Its items become the Item of record.h, so that both wires give the same
// tool uses.
#ifndef TROIKA_AGENT_CODEX_APP_SERVER_RECORD_H_
#define TROIKA_AGENT_CODEX_APP_SERVER_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/codex/record.h"
#include "agent/drift.h"
#include "agent/fields.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika::codex {

// Combines the parameters of all notifications; the method decides which fields
// are set.
struct Params {
  absl::string_view thread_id;
  absl::string_view turn_id;
  absl::string_view item_id;
  json::Value item;
  json::Value turn;
  json::Value thread;
  absl::string_view delta;
  std::optional<int64_t> summary_index;
  json::Value changes;
  json::Value plan;
  absl::string_view diff;
  json::Value token_usage;
  json::Value rate_limits;
  json::Value error;  // A TurnError, or the text of mcpServer/startupStatus.
  std::optional<bool> will_retry;
  absl::string_view message;
  absl::string_view summary;
  absl::string_view details;
  absl::string_view from_model;
  absl::string_view to_model;
  absl::string_view reason;
  json::Value request_id;
  absl::string_view name;
  json::Value status;  // A string or an object.
  json::Value run;     // Of a hook.
};

struct Turn {
  absl::string_view id;
  absl::string_view status;
  json::Value error;
  json::Value items;
  std::optional<absl::Duration> duration;
};

// The result of thread/start, thread/resume and thread/fork.
struct OpenedThread {
  json::Value thread;
  absl::string_view model;
  absl::string_view cwd;
  json::Value approval_policy;  // A string or an object.
  json::Value sandbox;
};

struct Thread {
  absl::string_view id;
  absl::string_view parent_thread_id;
  absl::string_view cli_version;
  absl::string_view model;
  absl::string_view cwd;
};

// Combines the parameters of the server's requests.
struct AskParams {
  absl::string_view thread_id;
  absl::string_view turn_id;
  absl::string_view item_id;
  absl::string_view reason;
  absl::string_view command;
  absl::string_view cwd;
  json::Value available_decisions;
  json::Value network_context;
  json::Value additional_permissions;
  json::Value permissions;
  json::Value questions;
  absl::string_view server_name;
  absl::string_view mode;
  absl::string_view message;
  json::Value requested_schema;
  json::Value meta;
  absl::string_view grant_root;
};

struct AskedQuestion {
  absl::string_view id;
  absl::string_view header;
  absl::string_view question;
  json::Value options;
  std::optional<bool> is_secret;
};

// Reads an item of app-server. Types and tools have the names that `codex exec`
// gives them, if it has the same; others keep app-server's own.
Item ReadAppItem(json::Value item, Drift* /*nullable*/ drift);

// Returns the thread's total in a ThreadTokenUsage; nullopt if there is none.
std::optional<TokenCounts> ReadTotal(json::Value token_usage,
                                     Drift* /*nullable*/ drift);

// Returns a unified diff of an item's changes.
std::string UnifiedDiff(json::Value changes, Drift* /*nullable*/ drift);
// Returns all files of the changes, old and new names; empty if one is missing.
std::vector<std::string> ChangedPaths(json::Value changes);

// Reads the windows of a snapshot of rate limits; empty if it has none.
std::vector<RateLimit> ReadRateLimits(json::Value snapshot,
                                      Drift* /*nullable*/ drift);

inline constexpr absl::string_view kInitializeParams =
    R"({"clientInfo":{"name":"troika","title":"Troika","version":"1"},)"
    R"("capabilities":{"experimentalApi":true,)"
    R"("requestAttestation":false}})";

inline constexpr absl::string_view kModelList = "model/list";
inline constexpr absl::string_view kModelListParams = R"({"limit":100})";
// Returns the names in the result of model/list, in its order and without
// hidden ones: at most kMaxModels of at most kMaxModelBytes each.
inline constexpr size_t kMaxModels = 100;
inline constexpr size_t kMaxModelBytes = 128;
std::vector<std::string> ReadModels(json::Value result);

}  // namespace troika::codex

#endif  // TROIKA_AGENT_CODEX_APP_SERVER_RECORD_H_
