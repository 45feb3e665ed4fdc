// The notes of a task's log: everything that its state depends on besides the
// agent's words. docs/tasks.md has their spellings, which the relay writes,
// too.
//
//   notes::ToJson(notes::Lost{.reason = "the host was restarted"})
//       // {"note":"lost","reason":"the host was restarted"}
#ifndef TROIKA_TASK_NOTES_H_
#define TROIKA_TASK_NOTES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/launch/launch.h"
#include "agent/protocol.h"
#include "base/fields.h"

namespace troika::notes {

// InfiniteDuration, which is 0 in JSON, means that there is no deadline.
struct Timeouts {
  std::optional<absl::Duration> start;
  std::optional<absl::Duration> idle;
  std::optional<absl::Duration> turn;
  std::optional<absl::Duration> task;
  std::optional<absl::Duration> approval;  // Unset: approvals wait for ever.
  std::optional<absl::Duration> tool;      // Unset: tools run for ever.

  bool operator==(const Timeouts&) const = default;
};

// The task whose session a fork copies, and where the copy begins.
struct ForkSource {
  std::string task;
  int turn = 0;
  // Result::fork_point of that turn; empty: the end of the session.
  std::string point;

  bool operator==(const ForkSource&) const = default;
};

// A file about the first turn (task/document.h).
struct DocumentRequest {
  bool wanted = false;
  std::string title;  // Empty: the task's.
  // The task's folder without links, as it was when the task was made. Empty in
  // logs of before 2026-11-18.
  std::string folder;

  bool operator==(const DocumentRequest&) const = default;
};

// A file with rules (policy/), as it was when the task was made.
struct RulesFile {
  std::string file;
  std::string origin;  // user, project, task or parent.
  std::string text;
  std::string error;  // Why it could not be read: nothing is allowed then.

  bool operator==(const RulesFile&) const = default;
};

// What a budget limits. Costs are in millionths of a dollar, times in
// milliseconds.
enum class BudgetKind { kCost, kTokens, kTurns, kTime };

// Limits of what a task may use; unset: no limit.
struct Budget {
  std::optional<int64_t> cost_microusd;
  std::optional<int64_t> tokens;
  std::optional<int64_t> turns;
  std::optional<int64_t> time_ms;

  bool operator==(const Budget&) const = default;
};

// A limit, and how much of it is used.
struct BudgetAmount {
  std::string scope;  // Empty: the task's own; else a budget of several tasks.
  BudgetKind kind = BudgetKind::kCost;
  int64_t used = 0;
  int64_t limit = 0;

  bool operator==(const BudgetAmount&) const = default;
};

// The task as it was asked for: the first record of its log. It starts no turn;
// each one, the first too, has a Turn of its own.
struct Request {
  std::string task;
  std::string harness;
  std::string prompt;
  std::vector<std::string> images;  // Paths.
  std::string cwd;
  std::string title;
  std::map<std::string, std::string> labels;
  LaunchOptions options;
  // Why `options` could not be read: no process may be started with a part of
  // them. They are at their defaults then.
  absl::Status options_error;
  Timeouts timeouts;
  std::string resume_session;  // A session that was begun elsewhere.
  // The task continues a copy of `resume_session`, which stays as it is.
  bool fork_session = false;
  ForkSource fork;                   // Empty if that is no task's session.
  std::string idempotency_key;       // The caller's.
  std::string parent;                // The task whose agent asked for this one.
  std::vector<std::string> notices;  // What was changed in the request.
  // Bytes of stdout after which a process is ended; 0: no limit.
  int64_t output_limit_bytes = 0;
  DocumentRequest document;
  Budget budget;
  // EnvironmentDigest() of the file `env` beside the log. Empty in logs of
  // before 2026-11-17.
  std::string env_digest;
  std::vector<RulesFile> policy;
  bool policy_restricts = false;  // Some rule of them prompts or forbids.
  // Whether no process may be started that could do something without asking
  // that the rules might not allow.
  bool require_policy = false;
  // Set if an agent started the task: the folder of the first task in the
  // chain. Rules must allow an edit relative to this folder, too, because the
  // agent chose `cwd`.
  std::string policy_folder;
};

// A turn was asked for.
struct Turn {
  int turn = 0;
  std::string prompt;
  std::vector<TurnAsked::Image> images;
  std::string by;
  std::string request_key;  // The caller's idempotency key.
  // Id of the input; empty for the first turn and in logs of before 2026-11-17.
  std::string input;
  // Whether `input` waited in the queue: prompt, images and options are those
  // of its note, as it was edited since.
  bool from_queue = false;
  // For this turn and later ones; if unset, as before.
  std::string model;
  std::optional<EditMode> edit_mode;
  Timeouts timeouts;
  bool converses = false;  // LaunchRequest::converses of later processes.
  Budget budget;           // Replaces the limits that it has.
};

// An input waits for the end of the running turn.
struct Input {
  std::string id;
  std::string prompt;
  std::vector<TurnAsked::Image> images;
  std::string by;
  std::string request_key;
  bool interrupts = false;  // The running turn is to be ended for it.
  // As those of a turn.
  std::string model;
  std::optional<EditMode> edit_mode;
  Timeouts timeouts;
  bool converses = false;
  Budget budget;
};

// Somebody changed an input that waits.
struct InputEdited {
  std::string id;
  std::string prompt;
  std::string by;
};

// Somebody took back an input that waits.
struct InputWithdrawn {
  std::string id;
  std::string by;
  std::string reason;
};

// An input that waits can't be sent: the task can't go on.
struct InputFailed {
  std::string id;
  std::string reason;
};

// Somebody let the inputs of a queue that is held be sent.
struct QueueResumed {
  std::string by;
};

// A process is started. StartFailed follows if it could not be.
struct Spawned {
  int generation = 0;
  int turn = 0;
  std::vector<std::string> argv;
  std::string cwd;
  std::string version;
  std::string stdin_mode;        // null, prompt or conversation.
  std::string expected_session;  // Empty if any will do.
  std::vector<std::string> notices;
  std::optional<Wire> wire;      // Unset in logs of before 2026-11-17.
  std::string setup_json;        // Launch::setup_json
  std::optional<Wire> fallback;  // Launch::fallback
};

struct StartFailed {
  int generation = 0;
  std::string error;
};

// The lines of a session's file follow, in place of a process's output.
struct Imported {
  std::string session;
  std::string path;
  int64_t size = 0;  // The file's, in bytes.
  std::string by;
};

// All lines of the session's file are in the log.
struct ImportEnded {
  int64_t lines = 0;
};

// The document that the request wants was written, or could not be.
struct DocumentWritten {
  std::string path;
  std::string error;  // Empty if it was written.
};

// Most of a budget is used.
struct BudgetWarned {
  BudgetAmount amount;
};

// Budgets are used up: the task asks whether to go on.
struct BudgetAsked {
  int number = 0;  // Counts from 1.
  std::vector<BudgetAmount> reached;
};

// What a task that this one's agent started has used so far, with the tasks
// that it started itself.
struct SubtaskUsed {
  std::string task;
  int64_t tokens = 0;
  int64_t cost_microusd = 0;

  bool operator==(const SubtaskUsed&) const = default;
};

// Somebody asked to end the turn; the process may go on.
struct Interrupt {
  std::string by;
  std::string reason;
};

// Somebody asked to end the process.
struct Stop {
  std::string by;
  std::string reason;
};

// Somebody asked never to start the task.
struct Cancelled {
  std::string by;
  std::string reason;
};

struct Deadline {
  std::string which;  // start, idle, turn, task, tool or a request's reply.
  absl::Duration after;
  std::string tool;  // Name of the tool that ran too long.
};

// The answer to an approval or a question, and who gave it. In JSON:
//   {"allow":true,"input":{"command":"ls"}}    of an approval
//   {"allow":false,"reason":"not now"}
//   {"answers":[["Red"],["A","B"]]}            of a question, an item each
using Answer = AnswerGiven;

// The rules were asked about an approval, and leave it to a person.
struct PersonAsked {
  std::string id;           // The approval's.
  std::string explanation;  // For people.
  std::vector<DecidingRule> rules;
};

struct Signalled {
  int signal = 0;
  std::string by;
};

struct StdinClosed {};

// Bytes that are in the log and did not reach the agent.
struct StdinLost {
  int64_t bytes = 0;
};

// Processes that the agent left behind, and that were ended.
struct Leftover {
  std::vector<std::string> processes;
};

struct Trouble {
  std::string text;
};

// The log ended within a record when its next writer took it.
struct Torn {
  int64_t bytes = 0;
};

struct Exited {
  std::optional<int> code;
  std::optional<int> signal;
  std::string reason;  // Why the relay ended it by itself; else empty.
  absl::Duration user_time;
  absl::Duration system_time;
  int64_t max_rss_kb = 0;
  std::string stderr_tail;
  int64_t discarded_bytes = 0;  // Bytes of output that are not in the log.
};

struct Lost {
  std::string reason;
};

// The real time leapt, and the times of records with it: the machine slept, or
// its time was set. Negative: back.
struct Clock {
  absl::Duration leap;
};

// A note of another version.
struct Unknown {
  std::string name;
  std::string json;
};

using Note =
    std::variant<Request, Turn, Spawned, StartFailed, Interrupt, Stop,
                 Cancelled, Deadline, Answer, Signalled, StdinClosed, StdinLost,
                 Leftover, Trouble, Torn, Exited, Lost, Clock, Input,
                 InputEdited, InputWithdrawn, InputFailed, QueueResumed,
                 Imported, ImportEnded, DocumentWritten, PersonAsked,
                 BudgetWarned, BudgetAsked, SubtaskUsed, Unknown>;

// One JSON object on one line. Members at their default are left out, but for
// a request's options.
std::string ToJson(const Note& note);

// Members that are missing, of another type or out of range keep their default,
// and unknown members are ignored. InvalidArgument if `json` is no JSON object,
// ResourceExhausted if it is over 16 MiB.
absl::StatusOr<Note> FromJson(absl::string_view json);

}  // namespace troika::notes

// The numbers are those of v1::Timeouts, which has durations.
template <>
inline constexpr auto troika::kFields<troika::notes::Timeouts> = std::tuple{
    troika::Field{1, "start_ms",
                  troika::InMillis(&troika::notes::Timeouts::start)},
    troika::Field{2, "idle_ms",
                  troika::InMillis(&troika::notes::Timeouts::idle)},
    troika::Field{3, "turn_ms",
                  troika::InMillis(&troika::notes::Timeouts::turn)},
    troika::Field{4, "task_ms",
                  troika::InMillis(&troika::notes::Timeouts::task)},
    troika::Field{5, "approval_ms",
                  troika::InMillis(&troika::notes::Timeouts::approval)},
    troika::Field{6, "tool_ms",
                  troika::InMillis(&troika::notes::Timeouts::tool)}};

template <>
inline constexpr auto troika::kFields<troika::notes::RulesFile> =
    std::tuple{troika::Field{"file", &troika::notes::RulesFile::file},
               troika::Field{"origin", &troika::notes::RulesFile::origin},
               troika::Field{"text", &troika::notes::RulesFile::text},
               troika::Field{"error", &troika::notes::RulesFile::error}};
template <>
inline constexpr auto troika::kEnumNames<troika::notes::BudgetKind> =
    troika::EnumNames("cost", "tokens", "turns", "time");
template <>
inline constexpr auto troika::kFields<troika::notes::Budget> = std::tuple{
    troika::Field{"cost_microusd", &troika::notes::Budget::cost_microusd},
    troika::Field{"tokens", &troika::notes::Budget::tokens},
    troika::Field{"turns", &troika::notes::Budget::turns},
    troika::Field{"time_ms", &troika::notes::Budget::time_ms}};

namespace troika::notes {

// Limits that `given` leaves out stay as they were.
inline void MergeBudget(const Budget& given, Budget* budget) {
  ForEachField<Budget>([&](const auto& field) {
    if (field.Of(given)) field.Of(*budget) = field.Of(given);
  });
}

// Timeouts that `given` leaves out stay as they were.
inline void MergeTimeouts(const Timeouts& given, Timeouts* timeouts) {
  ForEachField<Timeouts>([&](const auto& field) {
    const std::optional<absl::Duration>& from = field.Of(given).value;
    if (from) field.Of(*timeouts).value = from;
  });
}

}  // namespace troika::notes

#endif  // TROIKA_TASK_NOTES_H_
