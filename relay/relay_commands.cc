// Handles the commands of a driver.
#include <signal.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "relay/log_format.h"
#include "relay/note_text.h"
#include "relay/relay.h"

namespace troika::relay {
namespace {

constexpr size_t kMaxStdinQueue = size_t{64} << 20;

Connections::Answer Refuse(ReplyCode code, absl::string_view text) {
  return {.code = code, .text = std::string(text)};
}

bool MaySend(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGKILL ||
         signal == SIGHUP || signal == SIGUSR1 || signal == SIGUSR2;
}

}  // namespace

Connections::Answer Relay::OnCommand(const Command& command) {
  // A driver that did not get the answer has sent the command again.
  const auto seen = keys_.find(command.key);
  if (seen != keys_.end()) return {.record = seen->second};
  const bool ends =
      command.type == FrameType::kStop || command.type == FrameType::kSignal;
  // Ending the agent does not wait: the note is written when there is room.
  if (log_.pending() > 0 && !ends) {
    return Refuse(ReplyCode::kExhausted,
                  "the log can't be written now: make room on its disk");
  }
  if (exited_ || start_failed_) {
    return Refuse(ReplyCode::kEnded, "the agent has ended");
  }
  if (command.type != FrameType::kWrite &&
      command.payload.find('\n') != absl::string_view::npos) {
    return Refuse(ReplyCode::kInvalid, "a note is one line");
  }
  Connections::Answer answer = Record(command);
  if (answer.code == ReplyCode::kOk) {
    keys_.emplace(std::string(command.key), answer.record);
    // Synced before the answer, which says that the command is recorded.
    note_unsynced_ = false;
    Commit();
    if (log_.pending() == 0) log_.Sync().IgnoreError();
  }
  return answer;
}

Connections::Answer Relay::Record(const Command& command) {
  const int64_t record = log_.next_number();
  switch (command.type) {
    case FrameType::kWrite:
      if (!stdin_.open()) {
        return Refuse(ReplyCode::kEnded, "the agent's stdin is closed");
      }
      if (stdin_.size() + command.payload.size() > kMaxStdinQueue) {
        return Refuse(ReplyCode::kExhausted,
                      "the agent does not read what was written to it");
      }
      AppendWrite(command);
      stdin_.Push(command.payload);
      return {.record = record};
    case FrameType::kCloseStdin:
      if (!stdin_.open()) {
        return Refuse(ReplyCode::kEnded, "the agent's stdin is closed");
      }
      AppendNote(NoteText("stdin_closed").Take(), command.key);
      stdin_.Close();
      return {.record = record};
    case FrameType::kSignal:
      if (!MaySend(command.signal)) {
        return Refuse(ReplyCode::kInvalid,
                      absl::StrCat("no signal to send: ", command.signal));
      }
      if (!command.payload.empty()) AppendNote(command.payload, command.key);
      SendToGuard(
          {.kind = GuardCommand::Kind::kSignal, .signal = command.signal});
      return {.record = command.payload.empty() ? 0 : record};
    case FrameType::kStop:
      if (!command.payload.empty()) AppendNote(command.payload, command.key);
      SendToGuard({.kind = GuardCommand::Kind::kStop, .grace = command.grace});
      return {.record = command.payload.empty() ? 0 : record};
    case FrameType::kNote:
      AppendNote(command.payload, command.key);
      return {.record = record};
    default:
      return Refuse(ReplyCode::kUnsupported, "no command");
  }
}

// Appends a record for each line; the first has the key.
void Relay::AppendWrite(const Command& command) {
  absl::string_view rest = command.payload;
  absl::string_view key = command.key;
  do {
    const size_t newline = rest.find('\n');
    const bool whole = newline != absl::string_view::npos;
    log_.Append({.stream = Stream::kStdin,
                 .end = whole ? LineEnd::kNewline : LineEnd::kNone,
                 .key = std::exchange(key, ""),
                 .payload = rest.substr(0, newline)});
    rest = whole ? rest.substr(newline + 1) : absl::string_view();
  } while (!rest.empty());
}

}  // namespace troika::relay
