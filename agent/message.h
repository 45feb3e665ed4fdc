// Defines the messages that all agents' output is translated into.
//
// A harness's parser makes messages from the lines of its wire; task state,
// events and pages are computed from messages and never look at a wire again.
// Rules that hold over the whole stream:
//
// - Every ToolUse has exactly one ToolResult and vice versa. If the harness
//   sends no result, we make one and mark it `synthetic`.
// - Every turn has exactly one Result, synthetic if the stream ends first.
// - Ids of tool uses are unique in the whole conversation.
// - Deltas and the message that completes them share a `block_id`.
#ifndef TROIKA_AGENT_MESSAGE_H_
#define TROIKA_AGENT_MESSAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/fields.h"

namespace troika {

// Disjoint counts of tokens, except `reasoning`, which is part of `output`.
struct TokenCounts {
  int64_t input = 0;  // Neither read from nor written to a cache.
  int64_t cached = 0;
  int64_t cache_write = 0;
  int64_t output = 0;
  int64_t reasoning = 0;

  bool operator==(const TokenCounts&) const = default;
  // Saturates.
  TokenCounts& operator+=(const TokenCounts& other);
  // Never negative: if a harness's totals shrink, it has started over.
  TokenCounts Since(const TokenCounts& earlier) const;
};

enum class CostSource { kNone, kReported, kEstimated };

struct Cost {
  double usd = 0;
  CostSource source = CostSource::kNone;

  bool operator==(const Cost&) const = default;
};

// Begins a conversation; some harnesses repeat it at each turn.
struct Init {
  std::string session_id;
  std::string model;
  std::string cwd;
  std::string version;             // Version of the CLI.
  std::string permission_mode;     // In the harness's own words.
  std::vector<std::string> tools;  // Native names.
  std::vector<std::string> mcp_servers;
  std::vector<std::string> models;  // Those that can be chosen, if it says so.
};

// Text for the agent, written by a user, by us, or by a parent agent.
struct UserInput {
  std::string text;
  int images = 0;
};

// Something that was said to the task, and what became of it; sent again with
// each change.
struct Receipt {
  enum class State {
    kQueued,     // Not delivered yet, or being sent.
    kDelivered,  // Its line is on the agent's stdin.
    kFailed,     // No process will get it.
    kWithdrawn,  // Somebody took it back.
  };
  std::string id;
  State state = State::kQueued;
  std::string text;  // Empty if it is as before.
  int images = 0;
  std::string by;           // Who said it.
  int turn = 0;             // The turn that it is sent with; 0 while it waits.
  std::string reason;       // Why it failed or was withdrawn.
  bool interrupts = false;  // The running turn is ended for it.

  bool operator==(const Receipt&) const = default;
};

struct Text {
  std::string text;
};

struct Thinking {
  std::string text;
};

struct ToolUse {
  std::string id;
  std::string name;  // Normalized by agent/tool_names.h.
  std::string native_name;
  std::string server;      // MCP server of the tool, if it has one.
  std::string input_json;  // A valid JSON value in UTF-8.
};

struct ToolResult {
  std::string tool_use_id;
  std::string output;
  bool is_error = false;
  std::optional<int> exit_code;
  std::optional<absl::Duration> duration;
  bool synthetic = false;  // Made by us; `output` gives the reason.
  bool denied = false;     // The tool did not run, as it was not allowed to.
};

struct Todo {
  enum class Status { kPending, kInProgress, kCompleted, kCancelled };
  struct Item {
    std::string text;
    Status status = Status::kPending;
  };
  std::vector<Item> items;  // The whole list, not a change to it.
};

// How far the answer to an approval or a question has come.
enum class Delivery {
  kUnanswered,
  kAccepted,   // It is in the log, so it can't be lost.
  kDelivered,  // It was written to the agent.
  kLate,       // Nobody was left who wanted it, so the agent never got it.
};

// A rule that decided about an approval (policy/), as its file has it.
struct DecidingRule {
  std::string file;
  int line = 0;
  std::string text;
  std::string decision;       // allow, prompt or forbidden.
  std::string justification;  // The rule's own; may be empty.

  bool operator==(const DecidingRule&) const = default;
};

// Numbers and names of v1::DecidingRule; logs use these names, too.
template <>
inline constexpr auto kFields<DecidingRule> =
    std::tuple{Field{1, "file", &DecidingRule::file},
               Field{2, "line", &DecidingRule::line},
               Field{3, "text", &DecidingRule::text},
               Field{4, "decision", &DecidingRule::decision},
               Field{5, "justification", &DecidingRule::justification}};

// A permission that the agent asks for; sent again with an explanation if the
// rules leave it to a person, when the answer is accepted, and when it is
// delivered or nobody needs it any more.
struct Approval {
  enum class State { kAsked, kAllowed, kDenied, kCancelled };
  enum class Kind {
    kTool,         // Any other tool.
    kCommandLine,  // `command` and `cwd` are set.
    kEdit,         // A change of files; `diff` is set if the wire has it.
    kPermission,   // More rights for the session, such as network access.
    kPlan,         // To begin with the work that was planned.
    // To go on although a budget is used up: asked by Troika, not by the agent
    // (task/budget.h).
    kBudget,
  };
  std::string id;
  State state = State::kAsked;
  std::string tool_use_id;
  std::string tool_name;   // Normalized.
  std::string input_json;  // The requested action; empty once decided.
  std::string reason;      // Why the agent asks, or why it was denied.
  Kind kind = Kind::kTool;
  std::string command;
  std::string cwd;
  std::string diff;
  // What can be answered, of kApprove and the other names below. Empty once
  // decided, and in logs of before 2026-11-17, in which approve and deny can.
  std::vector<std::string> choices;
  std::string choice;  // The one that was taken, once decided.
  std::string by;      // Who decided: user, rule or timeout.
  std::string via;     // The way of the answer: terminal, api, page or mcp.
  Delivery delivery = Delivery::kUnanswered;
  std::string user;    // The person who decided, and the program that they
  std::string client;  // used; empty if nobody did, and in old logs.
  // The rules that decided, or because of which a person is asked.
  std::vector<DecidingRule> rules;
  std::string explanation;  // Why a person is asked although there are rules.
  std::string server;       // MCP server of the tool, if it has one.
  // Files that kEdit changes. Empty if the wire does not tell all of them.
  std::vector<std::string> paths;
  // Whether the wire says that exactly `command` would run, or exactly this
  // tool, and nothing else would be granted. Rules never allow anything else.
  bool exact = false;
  // Rules that would allow this without asking, the narrowest first.
  std::vector<std::string> proposed_rules;
  std::string always;  // The one of them that the answer has made a rule.

  bool operator==(const Approval&) const = default;
};

// The choices of an approval. A denial may carry a reason.
inline constexpr absl::string_view kApprove = "approve";
inline constexpr absl::string_view kApproveForSession = "approve_for_session";
inline constexpr absl::string_view kDeny = "deny";
inline constexpr absl::string_view kCancel = "cancel";  // Also ends the turn.

inline constexpr absl::string_view kHiddenAnswer = "(hidden)";

// A question of the agent to its user; sent again as an Approval is.
struct Question {
  enum class State { kAsked, kAnswered, kCancelled };
  struct Item {
    std::string header;
    std::string text;
    std::vector<std::string> options;
    bool multi_select = false;
    std::vector<std::string> answers;
    // One for each of `options`, or none at all if no option has one.
    std::vector<std::string> descriptions;
    // The agent asks for something like a password, so `answers` holds
    // kHiddenAnswer in place of what was answered.
    bool secret = false;

    bool operator==(const Item&) const = default;
  };
  std::string id;
  State state = State::kAsked;
  std::string tool_use_id;
  std::vector<Item> items;
  std::string by;  // As those of an Approval.
  std::string via;
  Delivery delivery = Delivery::kUnanswered;
  std::string user;
  std::string client;

  bool operator==(const Question&) const = default;
};

// Replaces the answers of a secret item.
void HideAnswers(Question::Item& item);

struct Usage {
  // Unset if unknown: the first turn we see of a thread that was started
  // elsewhere reports only the thread's total.
  std::optional<TokenCounts> turn;
  TokenCounts total;
  Cost turn_cost;
  Cost total_cost;

  bool operator==(const Usage&) const = default;
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
  std::string tool_use_id;  // Id of the tool use that started it.
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
    kError,  // Reported by the agent; the turn goes on.
    kPermissionDenied,
    kHook,
    kBackgroundTask,
  };
  Kind kind = Kind::kInfo;
  std::string text;
  std::string tool_use_id;  // The tool of kPermissionDenied, if it is known.
  // "default" if Troika refused a request that it can't show to anybody.
  std::string by = "";
};

// An event in the life of the task or a process, reported by Troika.
struct Lifecycle {
  enum class Kind {
    kCreated,
    kTurnAsked,
    kSpawned,
    kStartFailed,  // The agent's process could not be started.
    kInterruptAsked,
    kStopAsked,
    kDeadline,  // A deadline passed, so the agent is being ended.
    kSignalled,
    kInputClosed,
    kLeftover,  // Processes that the agent left behind were ended.
    kTrouble,   // The log can't be written, for now or for good.
    kExited,
    kLost,  // The process is gone and its exit was not seen.
    kCancelled,
    kTurnWaits,  // Its process ended before it had the prompt.
  };
  Kind kind = Kind::kCreated;
  int generation = 0;  // Generation of the process; 0 if there is none yet.
  int turn = 0;
  std::string by;    // Originator of the request: user, deadline, troika, …
  std::string text;  // Description for people.
  std::optional<int> exit_code;
  std::optional<int> signal;
};

// Something that the agent was not allowed to do, and went on without.
struct Denial {
  std::string tool_use_id;  // Empty if the harness does not tell.
  std::string tool_name;    // Normalized.
  std::string reason;       // Its beginning.
  std::string by;  // Who denied it, if somebody was asked: as Approval::by.

  bool operator==(const Denial&) const = default;
};

inline constexpr size_t kMaxDenials = 20;

// Ends a turn.
struct Result {
  bool is_error = false;
  std::string error;   // The cause, if is_error.
  std::string hint;    // The remedy, if we know one.
  std::string text;    // The turn's last text, which is its answer.
  std::string reason;  // Why the turn ended, in the harness's own words.
  Usage usage;
  std::optional<absl::Duration> duration;
  bool synthetic = false;       // The stream ended without a result.
  int denial_count = 0;         // Everything that was denied in the turn.
  std::vector<Denial> denials;  // The first kMaxDenials of them.
  // The harness's name for the end of this turn, from which a fork of the
  // session can go on; empty if it has none.
  std::string fork_point;

  bool operator==(const Result&) const = default;
};

// A well-formed line that has no message type of its own, or several lines of
// one batch of the log that are not messages.
struct Raw {
  std::string type;  // The wire's name for it; "stdout" or "stderr" for lines.
  std::string line;  // Empty if it is too long to carry.
  std::string reason;  // Why it is raw, if that is not obvious.
  int64_t offset = 0;  // Offset of the line in its stream.
  int64_t size = 0;    // Length of the whole line.
  // Number of newline-separated lines in `line`, if it holds several. They are
  // the records from `first_record` to the record of the message's id.
  int32_t lines = 0;
  int64_t first_record = 0;
};

// A line that could not be parsed. The stream goes on.
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
                 ToolOutputDelta, Lifecycle, Receipt>;

// `record` is the number of the log record that brought the message and never
// changes; `index` counts within the record and may differ between versions of
// the parser.
struct EventId {
  int64_t record = 0;
  int32_t index = 0;

  auto operator<=>(const EventId&) const = default;
};

// Returns the form "3.0".
std::string EventIdText(const EventId& id);
// Returns nullopt if `text` is not an event id.
std::optional<EventId> ParseEventId(absl::string_view text);

struct Message {
  EventId id;
  std::optional<absl::Time> time;  // Time of the record.
  std::string parent_tool_use_id;  // Set if a subagent says it.
  std::string block_id;            // Shared with the deltas that lead to it.
  Payload payload;
};

}  // namespace troika

#endif  // TROIKA_AGENT_MESSAGE_H_
