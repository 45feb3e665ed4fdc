// The frames on a relay's socket: docs/relay.md.
//
// A frame is a length (4 bytes, which counts the rest), a version, a type and a
// body. Every command's body begins with its key, so that a relay can answer
// even unknown commands.
#ifndef TROIKA_RELAY_FRAME_H_
#define TROIKA_RELAY_FRAME_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika::relay {

inline constexpr char kSocketName[] = "relay.sock";
inline constexpr uint8_t kFrameVersion = 1;
// Limits for frames that a driver sends, and for all others.
inline constexpr size_t kMaxCommandFrame = size_t{32} << 20;
inline constexpr size_t kMaxFrame = size_t{16} << 10;

enum class FrameType : uint8_t {
  // To the relay.
  kHello = 1,
  kWrite = 2,
  kCloseStdin = 3,
  kSignal = 4,
  kStop = 5,
  kNote = 6,
  kLend = 7,    // Lets the driver read the agent's stdout: relay/lease.h.
  kReturn = 8,  // The driver has returned it.
  // From the relay.
  kWelcome = 65,
  kReply = 66,
  kTip = 67,
  kTrouble = 68,
};

inline constexpr FrameType kLastCommand = FrameType::kReturn;

enum class Role : uint8_t { kWatcher = 0, kDriver = 1 };

enum class ReplyCode : uint8_t {
  kOk = 0,
  kUnsupported = 1,  // A command or a version that this relay does not know.
  kNotDriver = 2,    // Another connection drives, or this one only watches.
  kInvalid = 3,      // The frame can't be read, or a value in it is wrong.
  kEnded = 4,        // The agent has ended, or its stdin is closed.
  kExhausted = 5,    // Too much waits to be written, or too many connections.
};

struct Frame {
  uint8_t version = 0;
  uint8_t type = 0;
  absl::string_view body;
};

// The first frame that a client sends.
struct Hello {
  uint8_t max_version = kFrameVersion;
  Role role = Role::kWatcher;
};

// Why a connection watches.
enum class WatchReason : uint8_t {
  kAskedTo = 0,
  // The connection becomes the driver, and is told so, when the other is gone.
  kOtherDrives = 1,
  kNotAllowed = 2,  // An agent started its process, or may have.
};

// The answer to Hello: the version and the role that apply from here on, and
// the end of the log. Sent again if a watcher becomes the driver.
struct Welcome {
  // Fields that the first relays did not send.
  struct More {
    absl::Time awake;  // The relay's clock for deadlines, now.
    WatchReason watch_reason = WatchReason::kAskedTo;
  };
  uint8_t version = kFrameVersion;
  Role role = Role::kWatcher;
  int64_t record = 0;
  int64_t offset = 0;
  std::optional<More> more;
};

struct Command {
  FrameType type = FrameType::kWrite;
  absl::string_view key;
  // kWrite: the bytes. kSignal, kStop, kNote: the note to append first, which
  // may be empty for kSignal and kStop.
  absl::string_view payload;
  // kNote: a line for the agent that is recorded, synced and written together
  // with the note, and the key that a kWrite of it would have. Empty: none. The
  // first relays ignore it, so its sender asks for it again if it is not in the
  // log. A newer one does, too, if the agent's stdin can't take it.
  absl::string_view line_key = "";
  absl::string_view line = "";
  int32_t signal = 0;    // kSignal: sent to the agent's process group.
  absl::Duration grace;  // kStop: the time after each of the signals.
};

struct Reply {
  std::string key;
  ReplyCode code = ReplyCode::kOk;
  int64_t record = 0;  // First record of the command, or 0 if it made none.
  std::string text;    // For people.
};

// The log has grown to `offset`; its last record is `record`.
struct Tip {
  int64_t record = 0;
  int64_t offset = 0;
};

// Describes a problem with the log; empty if it is over.
struct Trouble {
  absl::string_view text;
};

std::string Encode(const Hello& hello);
std::string Encode(const Welcome& welcome);
std::string Encode(const Command& command);
std::string Encode(const Reply& reply);
std::string Encode(const Tip& tip);
std::string Encode(const Trouble& trouble);

// These return nullopt if the frame has another type or its body is cut short.
// They ignore further bytes, which are from a newer version. Views borrow from
// the frame.
std::optional<Hello> DecodeHello(const Frame& frame);
std::optional<Welcome> DecodeWelcome(const Frame& frame);
std::optional<Command> DecodeCommand(const Frame& frame);
std::optional<Reply> DecodeReply(const Frame& frame);
std::optional<Tip> DecodeTip(const Frame& frame);
std::optional<Trouble> DecodeTrouble(const Frame& frame);

// Returns the key at the start of a command's body, whatever the command.
absl::string_view KeyOf(const Frame& frame);

// Splits a stream of bytes into frames.
class FrameReader {
 public:
  explicit FrameReader(size_t max_frame) : max_frame_(max_frame) {}

  void set_max_frame(size_t max_frame) { max_frame_ = max_frame; }
  void Feed(absl::string_view bytes) {
    buffer_.append(bytes.data(), bytes.size());
  }
  // Returns the next whole frame, valid until the next call of a member, or
  // nullopt if it has not come yet or !ok().
  std::optional<Frame> Next();
  // False if a length was invalid: the stream can't be read any further.
  bool ok() const { return ok_; }

 private:
  size_t max_frame_;
  std::string buffer_;
  size_t begin_ = 0;
  bool ok_ = true;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_FRAME_H_
