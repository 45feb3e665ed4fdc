#include "agent/codex/app_server_record.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/usage_meter.h"

namespace troika::codex {
namespace {

struct Renamed {
  absl::string_view app_server;
  absl::string_view exec;
};

constexpr Renamed kTypes[] = {
    {"commandExecution", "command_execution"},
    {"fileChange", "file_change"},
    {"mcpToolCall", "mcp_tool_call"},
    {"collabAgentToolCall", "collab_tool_call"},
    {"webSearch", "web_search"},
    {"dynamicToolCall", "dynamic_tool_call"},
    {"imageView", "image_view"},
    {"imageGeneration", "image_generation"},
};

constexpr Renamed kCollabTools[] = {
    {"spawnAgent", "spawn_agent"},
    {"sendInput", "send_input"},
    {"closeAgent", "close_agent"},
    // As exec reports it.
    {"resumeAgent", "wait"},
};

template <size_t N>
absl::string_view Rename(const Renamed (&table)[N], absl::string_view name) {
  for (const Renamed& row : table) {
    if (row.app_server == name) return row.exec;
  }
  return name;
}

constexpr RecordField<Params> kParams[] = {
    {"threadId", &Params::thread_id},
    {"turnId", &Params::turn_id},
    {"itemId", &Params::item_id},
    {"item", &Params::item},
    {"turn", &Params::turn},
    {"thread", &Params::thread},
    {"delta", &Params::delta},
    {"summaryIndex", &Params::summary_index},
    {"changes", &Params::changes},
    {"plan", &Params::plan},
    {"diff", &Params::diff},
    {"tokenUsage", &Params::token_usage},
    {"rateLimits", &Params::rate_limits},
    {"error", &Params::error},
    {"willRetry", &Params::will_retry},
    {"message", &Params::message},
    {"summary", &Params::summary},
    {"details", &Params::details},
    {"fromModel", &Params::from_model},
    {"toModel", &Params::to_model},
    {"reason", &Params::reason},
    {"requestId", &Params::request_id},
    {"name", &Params::name},
    {"status", &Params::status},
    {"run", &Params::run},
    {"startedAtMs, completedAtMs, explanation, contentIndex, path, range, "
     "failureReason, contentTokenCount"},
};

constexpr RecordField<Turn> kTurn[] = {
    {"id", &Turn::id},
    {"status", &Turn::status},
    {"error", &Turn::error},
    {"items", &Turn::items},
    {"durationMs", &Turn::duration},
    {"rootTurnId, itemsView, startedAt, completedAt"},
};

constexpr RecordField<OpenedThread> kOpenedThread[] = {
    {"thread", &OpenedThread::thread},
    {"model", &OpenedThread::model},
    {"cwd", &OpenedThread::cwd},
    {"approvalPolicy", &OpenedThread::approval_policy},
    {"sandbox", &OpenedThread::sandbox},
    {"modelProvider, serviceTier, disabledPluginIds, runtimeWorkspaceRoots, "
     "instructionSources, approvalsReviewer, activePermissionProfile, "
     "reasoningEffort, multiAgentMode, turnsBackwardsCursor, "
     "itemsBackwardsCursor, collaborationMode, initialTurnsPage"},
};

constexpr RecordField<Thread> kThread[] = {
    {"id", &Thread::id},
    {"parentThreadId", &Thread::parent_thread_id},
    {"cliVersion", &Thread::cli_version},
    {"model", &Thread::model},
    {"cwd", &Thread::cwd},
    {"environments, extra, sessionId, forkedFromId, preview, ephemeral, "
     "section, sectionEnteredAt, projectId, historyMode, modelProvider, "
     "reasoningEffort, createdAt, updatedAt, recencyAt, status, path, "
     "originator, source, canAcceptDirectInput, threadSource, agentNickname, "
     "agentRole, gitInfo, name, daybreakEnabled, turns, attachedToThreadId"},
};

constexpr RecordField<AskParams> kAskParams[] = {
    {"threadId", &AskParams::thread_id},
    {"turnId", &AskParams::turn_id},
    {"itemId", &AskParams::item_id},
    {"reason", &AskParams::reason},
    {"command", &AskParams::command},
    {"cwd", &AskParams::cwd},
    {"availableDecisions", &AskParams::available_decisions},
    {"networkApprovalContext", &AskParams::network_context},
    {"additionalPermissions", &AskParams::additional_permissions},
    {"permissions", &AskParams::permissions},
    {"questions", &AskParams::questions},
    {"serverName", &AskParams::server_name},
    {"mode", &AskParams::mode},
    {"message", &AskParams::message},
    {"requestedSchema", &AskParams::requested_schema},
    {"_meta", &AskParams::meta},
    {"grantRoot", &AskParams::grant_root},
    {"kind, startedAtMs, environmentId, approvalId, commandActions, "
     "proposedExecpolicyAmendment, proposedNetworkPolicyAmendments, "
     "isBlocking, autoResolutionMs, url, elicitationId, title, description, "
     "challenge"},
};

constexpr RecordField<AskedQuestion> kAskedQuestion[] = {
    {"id", &AskedQuestion::id},
    {"header", &AskedQuestion::header},
    {"question", &AskedQuestion::question},
    {"options", &AskedQuestion::options},
    {"isSecret", &AskedQuestion::is_secret},
    {"isOther"},
};

constexpr RecordField<Item> kAppItem[] = {
    {"type", &Item::type},
    {"id", &Item::id},
    {"text", &Item::text},
    {"command", &Item::command},
    {"cwd", &Item::cwd},
    {"status", &Item::status},
    {"aggregatedOutput", &Item::aggregated_output},
    {"exitCode", &Item::exit_code},
    {"durationMs", &Item::duration},
    {"changes", &Item::changes},
    {"server", &Item::server},
    {"tool", &Item::tool},
    {"arguments", &Item::arguments},
    {"result", &Item::result},
    {"error", &Item::error},
    {"query", &Item::query},
    {"action", &Item::action},
    {"senderThreadId", &Item::sender_thread_id},
    {"receiverThreadIds", &Item::receiver_thread_ids},
    {"prompt", &Item::prompt},
    {"agentsStates", &Item::agents_states},
    {"summary", &Item::summary},
    {"content", &Item::content},
    {"path", &Item::path},
    {"contentItems", &Item::content_items},
    {"success", &Item::success},
    {"startedAtMs, completedAtMs, clientId, phase, memoryCitation, delivery, "
     "questions, pluginId, scriptPath, processId, source, commandActions, "
     "appContext, mcpAppResourceUri, mcpAppUi, readOnlyHint, namespace, model, "
     "reasoningEffort, kind, agentThreadId, agentPath, review, fragments, "
     "name, output, results, revisedPrompt, savedPath, moderation"},
};

struct TokenUsage {
  json::Value total;
};

constexpr RecordField<TokenUsage> kTokenUsage[] = {
    {"total", &TokenUsage::total},
    {"last, modelContextWindow"},
};

struct Counts {
  std::optional<int64_t> input;
  std::optional<int64_t> cached;
  std::optional<int64_t> cache_write;
  std::optional<int64_t> output;
  std::optional<int64_t> reasoning;
};

constexpr RecordField<Counts> kCounts[] = {
    {"inputTokens", &Counts::input},
    {"cachedInputTokens", &Counts::cached},
    {"cacheWriteInputTokens", &Counts::cache_write},
    {"outputTokens", &Counts::output},
    {"reasoningOutputTokens", &Counts::reasoning},
    {"totalTokens"},
};

struct Change {
  absl::string_view path;
  json::Value kind;
  absl::string_view diff;
};

constexpr RecordField<Change> kChange[] = {
    {"path", &Change::path},
    {"kind", &Change::kind},
    {"diff", &Change::diff},
};

struct Limits {
  json::Value primary;
  json::Value secondary;
  absl::string_view reached;
};

constexpr RecordField<Limits> kLimits[] = {
    {"primary", &Limits::primary},
    {"secondary", &Limits::secondary},
    {"rateLimitReachedType", &Limits::reached},
    {"limitId, limitName, normalModelSlug, credits, individualLimit, "
     "spendControlReached, planType"},
};

struct LimitWindow {
  std::optional<double> used_percent;
  std::optional<int64_t> minutes;
  std::optional<int64_t> resets_at;
};

constexpr RecordField<LimitWindow> kLimitWindow[] = {
    {"usedPercent", &LimitWindow::used_percent},
    {"windowDurationMins", &LimitWindow::minutes},
    {"resetsAt", &LimitWindow::resets_at},
};

std::string WindowName(std::optional<int64_t> minutes) {
  if (!minutes) return "";
  if (*minutes == 5 * 60) return "five_hour";
  if (*minutes == 7 * 24 * 60) return "weekly";
  return absl::StrCat(*minutes, "m");
}

// The whole content of an added or a deleted file, as the hunk of a diff.
std::string Hunk(absl::string_view content, char mark) {
  if (content.empty()) return "";
  const std::vector<absl::string_view> lines =
      absl::StrSplit(absl::StripSuffix(content, "\n"), '\n');
  const std::string range = absl::StrCat("1,", lines.size());
  std::string out = mark == '+' ? absl::StrCat("@@ -0,0 +", range, " @@\n")
                                : absl::StrCat("@@ -", range, " +0,0 @@\n");
  for (const absl::string_view line : lines) {
    out.push_back(mark);
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

}  // namespace

TROIKA_READ(Params)
TROIKA_READ(Turn)
TROIKA_READ(OpenedThread)
TROIKA_READ(Thread)
TROIKA_READ(AskParams)
TROIKA_READ(AskedQuestion)

Item ReadAppItem(json::Value value, Drift* drift) {
  Item item;
  ReadFields(value, kAppItem, {drift, "item"}, &item);
  item.type = Rename(kTypes, item.type);
  if (item.type == "collab_tool_call") {
    item.tool = Rename(kCollabTools, item.tool);
  }
  return item;
}

std::optional<TokenCounts> ReadTotal(json::Value token_usage, Drift* drift) {
  TokenUsage usage;
  ReadFields(token_usage, kTokenUsage, {drift, "tokenUsage"}, &usage);
  if (!usage.total.IsObject()) return std::nullopt;
  Counts wire;
  ReadFields(usage.total, kCounts, {drift, "tokenUsage.total"}, &wire);
  TokenCounts counts;
  counts.cached = TokenCount(wire.cached);
  counts.cache_write = TokenCount(wire.cache_write);
  counts.input = std::max<int64_t>(
      0, TokenCount(wire.input) - counts.cached - counts.cache_write);
  counts.output = TokenCount(wire.output);
  counts.reasoning = TokenCount(wire.reasoning);
  return counts;
}

std::string UnifiedDiff(json::Value changes, Drift* drift) {
  std::string out;
  for (const json::Value value : changes.items()) {
    Change change;
    ReadFields(value, kChange, {drift, "item.changes[]"}, &change);
    const absl::string_view kind = change.kind.Get("type").StringOr("");
    const absl::string_view moved =
        change.kind.Get("move_path").StringOr(change.path);
    absl::StrAppend(&out, "--- ", kind == "add" ? "/dev/null" : change.path,
                    "\n+++ ", kind == "delete" ? "/dev/null" : moved, "\n");
    if (kind == "add") {
      absl::StrAppend(&out, Hunk(change.diff, '+'));
    } else if (kind == "delete") {
      absl::StrAppend(&out, Hunk(change.diff, '-'));
    } else {
      absl::StrAppend(&out, change.diff,
                      absl::EndsWith(change.diff, "\n") ? "" : "\n");
    }
  }
  return out;
}

std::vector<std::string> ChangedPaths(json::Value changes) {
  std::vector<std::string> paths;
  for (const json::Value change : changes.items()) {
    const absl::string_view path = change.Get("path").StringOr("");
    if (path.empty()) return {};
    paths.emplace_back(path);
    const absl::string_view moved =
        change.Get("kind").Get("move_path").StringOr("");
    if (!moved.empty()) paths.emplace_back(moved);
  }
  return paths;
}

std::vector<RateLimit> ReadRateLimits(json::Value snapshot, Drift* drift) {
  Limits limits;
  ReadFields(snapshot, kLimits, {drift, "rateLimits"}, &limits);
  std::vector<RateLimit> found;
  for (const json::Value value : {limits.primary, limits.secondary}) {
    if (!value.IsObject()) continue;
    LimitWindow window;
    ReadFields(value, kLimitWindow, {drift, "rateLimits.window"}, &window);
    RateLimit limit;
    limit.status =
        limits.reached.empty() ? "allowed" : std::string(limits.reached);
    limit.window = WindowName(window.minutes);
    if (window.resets_at) {
      limit.resets_at = absl::UnixEpoch() + absl::Seconds(*window.resets_at);
    }
    if (window.used_percent) limit.used = *window.used_percent / 100;
    found.push_back(std::move(limit));
  }
  return found;
}

std::vector<std::string> ReadModels(json::Value result) {
  std::vector<std::string> models;
  for (const json::Value value : result.Get("data").items()) {
    const std::string name(
        value.Get("model").StringOr(value.Get("id").StringOr("")));
    if (name.empty() || name.size() > kMaxModelBytes ||
        value.Get("hidden").BoolOr(false) ||
        std::find(models.begin(), models.end(), name) != models.end()) {
      continue;
    }
    models.push_back(name);
    if (models.size() == kMaxModels) break;
  }
  return models;
}

}  // namespace troika::codex
