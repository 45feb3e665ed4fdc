// Conducts the conversation with one agent process, without I/O.
//
// A protocol's state depends only on the records of its process, which it is
// fed in order: what the agent printed, what was written to it, and what was
// decided about it. It returns messages, and an outbox: the lines that it wants
// written and has not yet seen as written. So a recorded log is a complete
// test, live and loaded tasks run the same code, and after a restart only the
// remaining outbox is sent. A protocol uses no files, clocks or random numbers.
#ifndef TROIKA_AGENT_PROTOCOL_H_
#define TROIKA_AGENT_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/launch/wire.h"
#include "agent/message.h"

namespace troika {

class Drift;

// The request of Protocol::waiting_for() that opens a wire.
inline constexpr absl::string_view kHandshake = "initialize";

// Longer lines are not parsed; they become Raw with an offset and a size.
inline constexpr int64_t kMaxLineBytes = int64_t{16} << 20;

// One line of a stream, without its end-of-line.
struct Record {
  int64_t number = 0;
  std::optional<absl::Time> time;
  absl::string_view bytes;  // Only the start of a line over kMaxLineBytes.
  int64_t offset = 0;       // Offset of the line in its stream.
  int64_t size = 0;         // Length of the whole line.
  absl::string_view key;    // Key of the Outgoing, if we wrote this line.
};

// The following structs are the log's notes, which a protocol is told of
// besides the agent's lines.

// A turn was requested. The first one precedes the agent's first line.
struct TurnAsked {
  struct Image {
    std::string path;
    std::string media_type;
    std::string base64;  // Only if the harness takes images as data.
  };
  int turn = 1;
  std::string prompt;
  std::vector<Image> images;
  // The model to change to before this turn, on wires that can
  // (Capabilities::set_model); empty: no change.
  std::string model = "";
};

// The running turn shall be ended.
struct InterruptAsked {};

struct ApprovalAnswer {
  bool allow = false;
  std::string reason;      // Given to the agent if it was denied.
  std::string input_json;  // Input to use instead; empty: as requested.
  // The choice of Approval::choices that was taken; empty in logs of before
  // 2026-11-17. It agrees with `allow`.
  std::string choice;
};

// Returns the choice that was taken, also if `answer` is of an old log.
inline absl::string_view ChoiceOf(const ApprovalAnswer& answer) {
  if (!answer.choice.empty()) return answer.choice;
  return answer.allow ? kApprove : kDeny;
}

struct QuestionAnswer {
  std::vector<std::vector<std::string>> answers;  // To each item.
};

// An approval or a question was answered.
struct AnswerGiven {
  std::string id;   // Id of the Approval or the Question.
  std::string by;   // user, rule or timeout.
  std::string via;  // terminal, api, page or mcp; empty in old logs.
  // As those of an Approval.
  std::string user = "";
  std::string client = "";
  std::vector<DecidingRule> rules = {};
  std::string always = "";
  // monostate: a log has an answer that this version can't read.
  std::variant<std::monostate, ApprovalAnswer, QuestionAnswer> answer = {};
};

// Nothing more will be written to the agent.
struct InputClosed {};

struct ProcessEnded {
  // Neither is set if unknown, as in a recorded stream.
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string reason;  // Originator or cause of the end; may be empty.
};

using Note = std::variant<TurnAsked, InterruptAsked, AnswerGiven, InputClosed,
                          ProcessEnded>;

// Something to be written to the agent's stdin. The key is unique within the
// conversation and the same whenever the same log is read, so that nothing is
// written twice.
struct Outgoing {
  enum class Kind { kWrite, kClose };
  std::string key;
  Kind kind = Kind::kWrite;
  std::string bytes;  // Includes the end-of-line, if any.

  bool operator==(const Outgoing&) const = default;
};

// The key of the line that carries the prompt of a turn, on all wires: the
// input counts as delivered when this line is in the log.
inline std::string PromptKey(int turn) {
  return absl::StrCat("turn-", turn, ".prompt");
}

using MessageSink = absl::FunctionRef<void(Message&&)>;

// State that one process of a conversation passes on to the next.
struct Continuation {
  int generation = 1;
  std::string session_id;
  // Whether `total` is the session's whole usage so far. False if the session
  // was started outside Troika and we have seen no turn of it.
  bool total_known = true;
  TokenCounts total;
  Cost total_cost;
};

struct ProtocolOptions {
  // State of the conversation when this process began. From the second
  // generation on, ids contain its number, because each process counts anew.
  Continuation continuation;
  std::string version;  // Version of the CLI; empty if unknown.
  // Receives the names that the parser doesn't know.
  Drift* /*nullable*/ drift = nullptr;
  // The format of the process's input, if versions differ: lines of the
  // protocol, or one plain prompt followed by the end of input.
  enum class Input { kConversation, kPrompt };
  Input input = Input::kConversation;
  // The wire of the process; unset for a recorded stream or an old log, whose
  // wire is the harness's first one.
  std::optional<Wire> wire;
  std::string setup_json;  // Launch::setup_json
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  // Handles a line of the agent's stdout, which may contain anything. If it
  // can't be parsed as a line of the protocol, it gives one message: a
  // ParseError, or a Raw without a type.
  virtual void OnReceived(const Record& record, MessageSink sink) = 0;
  // Whether the line's first bytes show that OnReceived can't parse it; false
  // is always allowed. If true, the line is counted as OnReceived would, and
  // need not be passed to it.
  virtual bool IsNoise(const Record&) { return false; }
  // Handles a line that was written to the agent's stdin.
  virtual void OnWritten(const Record& record, MessageSink sink) = 0;
  // After ProcessEnded, the turn and all tools that were still running have
  // synthetic results.
  virtual void OnNote(const Record& record, const Note& note,
                      MessageSink sink) = 0;

  // Returns the outbox in the order in which it shall be written.
  virtual const std::vector<Outgoing>& outbox() const = 0;
  virtual Continuation continuation() const = 0;
  // The one line that the turn will be given to the agent with, if that depends
  // on nothing that may come before the turn: then the line can be written with
  // the note that asks for the turn, and nobody waits for that to be read.
  virtual std::optional<Outgoing> PromptLine(const TurnAsked&) const {
    return std::nullopt;
  }

  // The method of a request of ours whose response must come soon, such as
  // those of a handshake; empty if there is none. A protocol has no clock, so
  // task/watchdog.h sets the deadline. Valid until the next call.
  virtual absl::string_view waiting_for() const { return ""; }
};

}  // namespace troika

#endif  // TROIKA_AGENT_PROTOCOL_H_
