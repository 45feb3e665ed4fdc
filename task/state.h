// The state of a task: all that its row, its page and its runner need.
//
// Computed from the log only, by Replay (replay.h): who it is comes from the
// request, all else from messages, by Reduce (reduce.h). It can be thrown away
// and computed again.
#ifndef TROIKA_TASK_STATE_H_
#define TROIKA_TASK_STATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "agent/harness.h"
#include "agent/launch/launch.h"
#include "agent/message.h"
#include "base/fields.h"
#include "task/notes.h"

namespace troika {

enum class TaskStatus {
  kQueued,    // A turn is asked for, and waits for a process.
  kStarting,  // The agent has said nothing yet.
  kRunning,
  kAwaitingApproval,
  kAwaitingAnswer,
  kIdle,  // The process lives and waits for input.
  // No process lives from here on.
  kDone,  // Ended after a good turn.
  kFailed,
  kInterrupted,  // Ended because somebody asked for it.
  kCancelled,    // Never started, and never will be.
};
template <>
inline constexpr auto kEnumNames<TaskStatus> = EnumNames(
    "queued", "starting", "running", "awaiting_approval", "awaiting_answer",
    "idle", "done", "failed", "interrupted", "cancelled");
inline constexpr int kTaskStatuses = kEnumNames<TaskStatus>.size();

// Whether the status says that no process lives and no turn waits for one.
inline bool HasEnded(TaskStatus status) { return status >= TaskStatus::kDone; }

// How a turn ended.
enum class TurnOutcome { kDone, kDenied, kFailed, kInterrupted };
template <>
inline constexpr auto kEnumNames<TurnOutcome> = EnumNames("done", "denied",
                                                          "failed",
                                                          "interrupted");

// How many reasons of rules an agent is told by prompts before somebody else
// speaks to it.
inline constexpr size_t kMaxRuleReasons = 5;

// An approval or a question that waits for its answer, or whose answer the
// agent has not heard yet.
template <typename T>
struct Pending {
  EventId asked;          // The event that asked.
  T request;              // With the answer, once that is accepted.
  bool answered = false;  // The log has an answer.
  // When it was asked, by the clock of AwakeTimes.
  std::optional<absl::Time> awake_since;
  // Asked by a subagent, which may wait longer than its turn takes.
  bool of_subagent = false;
  bool consulted = false;  // The rules leave the answer to a person.

  bool operator==(const Pending&) const = default;
};

// What became of an approval or a question that is no longer pending.
struct Settled {
  std::string id;
  // Choice of the answer, kAnswerChoice to a question; empty if it was
  // withdrawn before anybody answered.
  std::string choice;
  // The reason of a denial or a withdrawal, or the answers to a question.
  std::string text;
  std::string by;
  std::string via;
  Delivery delivery = Delivery::kUnanswered;
  std::string user;  // These are as those of an Approval.
  std::string client;
  std::vector<DecidingRule> rules;
  std::string always;

  bool operator==(const Settled&) const = default;
};
inline constexpr absl::string_view kAnswerChoice = "answer";

// The reason of a denial on a wire that can't carry it: the agent is to be told
// by a prompt.
struct OwedReason {
  std::string key;       // Request key of that prompt.
  std::string approval;  // Id of the approval that was denied.
  std::string prompt;

  bool operator==(const OwedReason&) const = default;
};

// A tool of the running turn that has no result yet.
struct OpenTool {
  std::string name;
  // How long it ran before `since`, by the clock of AwakeTimes.
  absl::Duration ran;
  // Since when it runs; unset while it waits for an answer.
  std::optional<absl::Time> since;

  bool operator==(const OpenTool&) const = default;
};

// An end of the turn or the process that was asked for, and not by the agent.
struct Ending {
  enum class Kind {
    kNone,
    kInterrupt,  // Somebody wanted it: the task is then interrupted.
    kFailure,    // A deadline passed, or Troika gave up: it has then failed.
  };
  Kind kind = Kind::kNone;
  std::string text;  // "interrupted by user", "the idle deadline of 5m passed"
  bool ends_process = false;  // Not only the turn.
  // A budget is used up: if somebody lets the task go on, the turn is
  // continued.
  bool by_budget = false;

  bool operator==(const Ending&) const = default;
};

// How a task stood when no turn was left to do.
struct LastEnd {
  TaskStatus status = TaskStatus::kDone;
  std::string error;
  std::string hint;
  Ending ending;
  std::optional<absl::Time> ended;

  bool operator==(const LastEnd&) const = default;
};

// An input of the task, queued or ended.
struct TaskInput {
  Receipt receipt;
  std::string request_key;  // The caller's; never shown.

  // Whether it waits for a turn of its own.
  bool waits() const {
    return receipt.state == Receipt::State::kQueued && receipt.turn == 0;
  }

  bool operator==(const TaskInput&) const = default;
};

// The file about the first turn, if the request wants one.
struct DocumentState {
  bool wanted = false;
  std::optional<absl::Time> turn_ended;  // When the first turn did.
  bool settled = false;                  // It was written, or can't be.
  std::string path;                      // Empty until it was written.
  std::string error;                     // Why it can't be.

  bool operator==(const DocumentState&) const = default;
};

// What a task has used within a quarter of an hour.
struct SpentSlot {
  int64_t slot = 0;  // Quarters of an hour since 1970.
  int64_t tokens = 0;
  int64_t cost_microusd = 0;

  bool operator==(const SpentSlot&) const = default;
};

// The budgets of a task (task/budget.h has what is computed from it).
struct BudgetState {
  notes::Budget limits;
  // What the task itself has used. Neither ever falls, whatever its agent says.
  int64_t tokens = 0;
  std::optional<int64_t> cost_microusd;  // Unset: no cost was ever told.
  // The first total of tokens that is told also has what a session had used
  // before this task; tokens_before is that part of it.
  bool has_history = false;
  int64_t tokens_before = 0;
  std::vector<SpentSlot> spent;  // The last ones, in order.
  // What the tasks that its agent started have used, by their ids.
  std::map<std::string, notes::SubtaskUsed> subtasks;

  int asked = 0;  // How often the task has asked to go on.
  std::vector<notes::BudgetAmount> reached;  // What it asked about last.
  // What the task itself had used when somebody let it go on, by BudgetKey():
  // from there on it may use as much again.
  std::map<std::string, int64_t> granted_at;
  std::set<std::string> warned;  // BudgetKey() of those that a notice told of.
  // A turn was ended for a budget, and is to be continued.
  bool goes_on = false;
  bool told_no_cost = false;  // A notice told that no cost is known.

  bool operator==(const BudgetState&) const = default;
};

// How many of its turns a task can be forked at.
inline constexpr int kMaxForkPoints = 1000;

// How many inputs that ended a state keeps.
inline constexpr int kMaxEndedInputs = 20;

// Times by the clock of the relay that wrote the records: it stands still while
// the machine sleeps, and never leaps. Comparable within one process of the
// agent.
struct AwakeTimes {
  std::optional<absl::Time> now;  // Time of the last record.
  std::optional<absl::Time> turn_started;
  std::optional<absl::Time> last_activity;
  // Since when TaskState::waiting_for is what it is.
  std::optional<absl::Time> waiting_since;
  // Since when a turn is worked on, in the state starting or running.
  std::optional<absl::Time> working_since;
  // How far the real time has leapt, forward, since the process was started.
  absl::Duration leaps;

  bool operator==(const AwakeTimes&) const = default;
};

// More of an action than anybody shows, so that a secret in it is found whole
// before it is cut.
inline constexpr size_t kMaxLastAction = size_t{264} << 10;

struct TaskState {
  // From the request.
  std::string task;
  std::optional<Harness> harness;
  std::string cwd;
  std::string title;
  std::map<std::string, std::string> labels;
  std::string parent;  // The task whose agent asked for this one.
  notes::ForkSource fork;

  // As asked for, by the request or by a turn since; what the next process is
  // started with.
  std::string asked_model;            // Empty: the harness's default.
  std::optional<EditMode> edit_mode;  // Unset: the harness's own settings.
  std::string last_request_key;       // Key of the last turn asked for.
  notes::Timeouts timeouts;           // Unset ones have their default.
  bool converses = false;             // LaunchRequest::converses
  // The wire of later processes, as the agent did not open a better one.
  std::optional<Wire> fallback_wire;

  TaskStatus status = TaskStatus::kQueued;
  std::string error;  // Error of the last turn, or after it.
  std::string hint;   // The remedy, if we know one.

  std::string session_id;
  // When the agent first told the session's id.
  std::optional<absl::Time> session_began;
  std::string model;
  std::string version;  // The CLI's.
  // What the CLI last reported that it lets the agent do, in its own words.
  std::string permission_mode;
  // The agent is in another session than it was asked to be in. Its process is
  // to be stopped: what it says belongs to another conversation.
  bool session_mismatch = false;

  // The file whose lines the task has, if it was imported. Such a task is a
  // copy and takes no input.
  std::string imported_from;

  int generation = 0;        // Number of the last process.
  std::optional<Wire> wire;  // The wire of the last process.
  bool process_alive = false;
  bool input_closed = false;  // Nothing can be written to the process.
  // The request to the process whose response must come soon
  // (Protocol::waiting_for); empty if there is none.
  std::string waiting_for;
  std::optional<int> exit_code;
  std::optional<int> signal;
  int64_t output_bytes = 0;  // What the last process printed to its stdout.
  std::string stderr_tail;   // The last lines of the last process's stderr.
  Ending ending;
  std::string trouble;  // The last there was in writing the log.

  int turns = 0;          // Asked for.
  int turns_waiting = 0;  // Those that no process has taken yet.
  bool turn_open = false;
  std::optional<Result> result;  // The last turn that ended.
  // Result::fork_point of the last kMaxForkPoints turns that have one.
  std::map<int, std::string> fork_points;
  // How that turn ended. A process that then ends badly makes it a failure.
  std::optional<TurnOutcome> outcome;
  // How the last process or start ended, once there was one. The task returns
  // to it if waiting turns are withdrawn.
  std::optional<LastEnd> last_end;
  int withdrawn_results = 0;  // Still to come, of turns that were withdrawn.

  int input_count = 0;  // Inputs so far; they are numbered.
  // Those that are queued, and the last ones that ended, in order.
  std::vector<TaskInput> inputs;
  bool queue_held = false;  // Inputs that wait are not sent.

  // By their ids.
  std::map<std::string, Pending<Approval>> approvals;
  std::map<std::string, Pending<Question>> questions;
  // Tools of the running turn, but for those of subagents, by their ids.
  std::map<std::string, OpenTool> open_tools;
  // Ids of the subagents of the process that have not ended.
  std::set<std::string> subagents;
  // The last ones that left the two, oldest first.
  std::vector<Settled> settled;
  std::vector<OwedReason> owed_reasons;  // Oldest first.
  // Rules that answers of people in this task have made (Approval::always).
  std::vector<std::string> granted_rules;
  // Reasons of rules that are or were owed since somebody last spoke.
  std::set<std::string> rule_reasons;

  TokenCounts usage;  // In all.
  double cost_usd = 0;
  CostSource cost_source = CostSource::kNone;
  std::string rate_limit;  // In the harness's own words.
  std::optional<absl::Time> rate_limit_resets;

  // The last tool that the agent used or text that it said, from its first
  // kMaxLastAction bytes; empty before its first turn.
  std::string last_action;

  std::optional<absl::Time> created;
  std::optional<absl::Time> started;        // The first process.
  std::optional<absl::Time> turn_started;   // Asked for, or taken by a process.
  std::optional<absl::Time> last_activity;  // Anything that the agent printed.
  std::optional<absl::Time> ended;
  AwakeTimes awake;
  // The time in which turns were worked on, without what the machine slept and
  // without what began at awake.working_since.
  absl::Duration worked;

  DocumentState document;
  BudgetState budget;

  int64_t last_record = 0;  // The last one of the log that is counted in.

  bool operator==(const TaskState&) const = default;
};

}  // namespace troika

#endif  // TROIKA_TASK_STATE_H_
