// One process's conversation with an agent, without I/O.
//
// A protocol is fed every record of a process in order and changes its state by
// nothing else: what the agent printed, what was written to it, and what was
// decided about it. It answers with messages, and with an outbox: the lines it
// wants written and has not yet seen written. So a recorded log is a complete
// test, live and loaded run the same code, and after a restart only the
// remaining outbox is sent. It knows no file, clock or chance.
#ifndef TROIKA_AGENT_PROTOCOL_H_
#define TROIKA_AGENT_PROTOCOL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"

namespace troika {

class Drift;

// Lines are parsed up to this size; longer ones become Raw with a pointer.
inline constexpr int64_t kMaxLineBytes = int64_t{16} << 20;

// One line of a stream, without its end-of-line.
struct Record {
  int64_t number = 0;
  std::optional<absl::Time> time;
  absl::string_view bytes;  // Of a line over kMaxLineBytes, only its start.
  int64_t offset = 0;       // Where the line begins in its stream.
  int64_t size = 0;         // Its whole length.
  absl::string_view key;    // Of a line that we wrote: its Outgoing's.
};

// What a process is told about besides the agent's words: notes of the log.

// A turn was asked for. The first one comes before the agent's first line.
struct TurnAsked {
  struct Image {
    std::string path;
    std::string media_type;
    std::string base64;  // Only where the harness takes images as data.
  };
  int turn = 1;
  std::string prompt;
  std::vector<Image> images;
};

// The turn that runs shall end.
struct InterruptAsked {};

// An approval or a question was answered.
struct AnswerGiven {
  std::string id;
  bool allow = false;      // Of an approval.
  std::string reason;      // Told to the agent, where it is not allowed.
  std::string input_json;  // Do this instead; empty: as asked.
  // Of a question: those to each of its items.
  std::vector<std::vector<std::string>> answers;
};

// Nothing more is written to the agent.
struct InputClosed {};

struct ProcessEnded {
  // Neither: not known, as of a recorded stream.
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string reason;  // Who asked for it or what became of it; may be empty.
};

using Note = std::variant<TurnAsked, InterruptAsked, AnswerGiven, InputClosed,
                          ProcessEnded>;

// Something that is wanted on the agent's stdin. The key is unique within the
// conversation, and the same again where the same log is read again, so that
// nothing is written twice.
struct Outgoing {
  enum class Kind { kWrite, kClose };
  std::string key;
  Kind kind = Kind::kWrite;
  std::string bytes;  // With their end-of-line, where there is one.

  bool operator==(const Outgoing&) const = default;
};

using MessageSink = absl::FunctionRef<void(Message&&)>;

// What one process of a conversation leaves to the next one.
struct Continuation {
  int generation = 1;
  std::string session_id;
  // Whether `total` is the session's whole usage so far. Not so where the
  // session was begun by somebody else and no turn of it was seen.
  bool total_known = true;
  TokenCounts total;
  Cost total_cost;
};

struct ProtocolOptions {
  // How the conversation stood when this process began. Ids of a generation
  // after the first carry its number, as harnesses count anew in each process.
  Continuation continuation;
  std::string version;                  // The CLI's; empty: not known.
  Drift* /*nullable*/ drift = nullptr;  // Told of what the parser doesn't know.
  // What the process reads, where versions of its wire differ: lines of the
  // protocol, or one prompt as it is and then the end.
  enum class Input { kConversation, kPrompt };
  Input input = Input::kConversation;
};

class Protocol {
 public:
  virtual ~Protocol() = default;

  // A line on the agent's stdout. Anything may stand in it. One that can't be
  // read as a line of the protocol gives one message: a ParseError, or a Raw
  // without a type.
  virtual void OnReceived(const Record& record, MessageSink sink) = 0;
  // Whether OnReceived can't read the line, told from its first bytes. May be
  // false for such lines. Counts the line as OnReceived would, which need not
  // see it then.
  virtual bool IsNoise(const Record&) { return false; }
  // A line that was written to the agent's stdin.
  virtual void OnWritten(const Record& record, MessageSink sink) = 0;
  // After ProcessEnded nothing is open any more: the tools that still ran have
  // synthetic results, and so has the turn.
  virtual void OnNote(const Record& record, const Note& note,
                      MessageSink sink) = 0;

  // In the order in which it is wanted.
  virtual const std::vector<Outgoing>& outbox() const = 0;
  virtual Continuation continuation() const = 0;
};

}  // namespace troika

#endif  // TROIKA_AGENT_PROTOCOL_H_
