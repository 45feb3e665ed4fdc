// What agents say, whichever harness they run in.
//
// A message is one small thing. A harness's parser makes messages from the
// lines of its wire; task state, events and pages are computed from messages
// and never look at a wire again. Rules that hold over the whole stream:
//
// - every ToolUse has exactly one ToolResult, and none stands alone. Where the
//   harness sends none, one is made and marked `synthetic`;
// - every turn has exactly one Result, synthetic where the stream ends first;
// - ids of tool uses are unique over the whole conversation;
// - deltas and the message that completes them share a `block_id`.
#ifndef TROIKA_AGENT_MESSAGE_H_
#define TROIKA_AGENT_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika {

// Disjoint counts of tokens, but for `reasoning`, which is a part of `output`.
struct TokenCounts {
  int64_t input = 0;  // Neither read from a cache nor written to one.
  int64_t cached = 0;
  int64_t cache_write = 0;
  int64_t output = 0;
  int64_t reasoning = 0;

  bool operator==(const TokenCounts&) const = default;
  TokenCounts& operator+=(const TokenCounts& other);
  // Never below zero: a harness whose totals shrink has started over.
  TokenCounts Since(const TokenCounts& earlier) const;
};

enum class CostSource { kNone, kReported, kEstimated };

struct Cost {
  double usd = 0;
  CostSource source = CostSource::kNone;
};

// The start of a conversation, or of each of its turns where the harness says
// it again.
struct Init {
  std::string session_id;
  std::string model;
  std::string cwd;
  std::string version;             // The CLI's.
  std::string permission_mode;     // In the harness's own words.
  std::vector<std::string> tools;  // Native names.
  std::vector<std::string> mcp_servers;
};

// What was said to the agent: by a user, by us, or by a parent agent.
struct UserInput {
  std::string text;
  int images = 0;
};

struct Text {
  std::string text;
};

struct Thinking {
  std::string text;
};

struct ToolUse {
  std::string id;
  std::string name;  // Normalized: agent/tool_names.h.
  std::string native_name;
  std::string server;      // The MCP server, where the tool is one's.
  std::string input_json;  // A JSON value, valid, UTF-8.
};

struct ToolResult {
  std::string tool_use_id;
  std::string output;
  bool is_error = false;
  std::optional<int> exit_code;
  std::optional<absl::Duration> duration;
  bool synthetic = false;  // Made by us; `output` says why.
};

struct Todo {
  enum class Status { kPending, kInProgress, kCompleted, kCancelled };
  struct Item {
    std::string text;
    Status status = Status::kPending;
  };
  std::vector<Item> items;  // The whole list, not a change to it.
};

// A permission that the agent asks for, and later what was answered.
struct Approval {
  enum class State { kAsked, kAllowed, kDenied, kCancelled };
  std::string id;
  State state = State::kAsked;
  std::string tool_use_id;
  std::string tool_name;   // Normalized.
  std::string input_json;  // What it wants to do; empty when answered.
  std::string reason;      // Why it asks, or why it was denied.
};

// A question of the agent to its user, and later the answer.
struct Question {
  enum class State { kAsked, kAnswered, kCancelled };
  struct Item {
    std::string header;
    std::string text;
    std::vector<std::string> options;
    bool multi_select = false;
    std::vector<std::string> answers;
  };
  std::string id;
  State state = State::kAsked;
  std::string tool_use_id;
  std::vector<Item> items;
};

struct Usage {
  // Nothing where it can't be known: the first turn that we see of a thread
  // that was begun elsewhere reports only the thread's total.
  std::optional<TokenCounts> turn;
  TokenCounts total;
  Cost turn_cost;
  Cost total_cost;
};

struct RateLimit {
  std::string status;  // In the harness's own words: allowed, rejected, …
  std::string window;  // five_hour, weekly, …
  std::optional<absl::Time> resets_at;
  std::optional<double> used;  // 0 to 1.
};

struct Subagent {
  enum class Phase { kStarted, kProgress, kEnded };
  Phase phase = Phase::kStarted;
  std::string id;
  std::string tool_use_id;  // The tool use that started it.
  std::string kind;
  std::string description;
  std::string status;  // In the harness's own words.
};

// All changes of the turn so far, as one unified diff.
struct Diff {
  std::string unified_diff;
};

struct Notice {
  enum class Kind {
    kInfo,
    kTurnStarted,
    kRetrying,
    kModelRerouted,
    kConfigWarning,
    kCompaction,
    kError,  // Told by the agent; the turn goes on.
    kPermissionDenied,
    kHook,
    kBackgroundTask,
  };
  Kind kind = Kind::kInfo;
  std::string text;
};

// What became of the task and its processes: said by Troika, not by the agent.
struct Lifecycle {
  enum class Kind {
    kCreated,
    kTurnAsked,
    kSpawned,
    kStartFailed,  // The agent's process could not be started.
    kInterruptAsked,
    kStopAsked,
    kDeadline,  // One passed; the agent is ended for it.
    kSignalled,
    kInputClosed,
    kLeftover,  // Processes that the agent left behind were ended.
    kTrouble,   // The log can't be written, for the moment or for good.
    kExited,
    kLost,  // The process is gone, and nobody saw how it ended.
    kCancelled,
  };
  Kind kind = Kind::kCreated;
  int generation = 0;  // Of the process; 0 where there is none yet.
  int turn = 0;
  std::string by;    // Who asked: user, deadline, troika, …
  std::string text;  // What happened, for people.
  std::optional<int> exit_code;
  std::optional<int> signal;
};

// Ends a turn.
struct Result {
  bool is_error = false;
  std::string error;   // What went wrong, where is_error.
  std::string hint;    // What to do about it, where we know.
  std::string text;    // The turn's last text: its answer.
  std::string reason;  // Why it ended, in the harness's own words.
  Usage usage;
  std::optional<absl::Duration> duration;
  bool synthetic = false;  // The stream ended and the harness had said nothing.
};

// A line that is well-formed and that we don't know, or know and keep as it is;
// or many lines of one batch of the log that are no messages.
struct Raw {
  std::string type;    // The wire's name for it; "stdout" or "stderr" of lines.
  std::string line;    // Empty if it is too long to carry.
  std::string reason;  // Why it is raw, if that is not plain.
  int64_t offset = 0;  // Where the line begins in its stream, and how
  int64_t size = 0;    // long it is.
  // If `line` holds many lines: how many, with newlines between them. They are
  // the records from `first_record` to that of the message's id.
  int32_t lines = 0;
  int64_t first_record = 0;
};

// A line that could not be read. The stream goes on.
struct ParseError {
  std::string error;
  std::string snippet;  // The line's first bytes.
  int64_t offset = 0;
  int64_t size = 0;
};

struct TextDelta {
  std::string text;
};

struct ThinkingDelta {
  std::string text;
};

struct ToolOutputDelta {
  std::string tool_use_id;
  std::string text;
};

using Payload =
    std::variant<Init, UserInput, Text, Thinking, ToolUse, ToolResult, Todo,
                 Approval, Question, Usage, RateLimit, Subagent, Diff, Notice,
                 Result, Raw, ParseError, TextDelta, ThinkingDelta,
                 ToolOutputDelta, Lifecycle>;

// `record` names the log's record that brought the message, for ever; `index`
// counts within it and holds for one version of the parser.
struct EventId {
  int64_t record = 0;
  int32_t index = 0;

  auto operator<=>(const EventId&) const = default;
};

// "3.0".
std::string EventIdText(const EventId& id);
// Nothing if `text` is no id.
std::optional<EventId> ParseEventId(absl::string_view text);

struct Message {
  EventId id;
  std::optional<absl::Time> time;  // The record's.
  std::string parent_tool_use_id;  // Of the subagent that says it; else empty.
  std::string block_id;  // Shared with the deltas that lead to it; else empty.
  Payload payload;
};

}  // namespace troika

#endif  // TROIKA_AGENT_MESSAGE_H_
