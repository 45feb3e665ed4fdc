#include "relay/command_handler.h"

#include <signal.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "relay/log_format.h"
#include "relay/note_text.h"

namespace troika::relay {
namespace {

constexpr size_t kMaxStdinQueue = size_t{64} << 20;

Reply Refuse(ReplyCode code, absl::string_view text) {
  return {.code = code, .text = std::string(text)};
}

bool MaySend(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGKILL ||
         signal == SIGHUP || signal == SIGUSR1 || signal == SIGUSR2;
}

}  // namespace

Reply CommandHandler::Handle(const Command& command) {
  // A driver that did not get the reply has sent the command again.
  const auto seen = keys_.find(command.key);
  if (seen != keys_.end()) return {.record = seen->second};
  const bool ends =
      command.type == FrameType::kStop || command.type == FrameType::kSignal;
  // Ending the agent does not wait: the note is written when there is room.
  if (log_->waits() && !ends) {
    return Refuse(ReplyCode::kExhausted,
                  "the log can't be written now: make room on its disk");
  }
  if (agent_->ended()) return Refuse(ReplyCode::kEnded, "the agent has ended");
  if (command.type != FrameType::kWrite &&
      command.payload.find('\n') != absl::string_view::npos) {
    return Refuse(ReplyCode::kInvalid, "a note is one line");
  }
  Reply reply = Record(command);
  if (reply.code == ReplyCode::kOk) {
    keys_.emplace(std::string(command.key), reply.record);
    // Before the reply, which says that the command is recorded.
    log_->CommitAndSync();
  }
  return reply;
}

void CommandHandler::AppendFirst(const std::vector<std::string>& frames) {
  for (const std::string& bytes : frames) {
    FrameReader reader(kMaxCommandFrame);
    reader.Feed(bytes);
    const auto frame = reader.Next();
    const auto command = frame ? DecodeCommand(*frame) : std::nullopt;
    if (!command || !IsKey(command->key)) continue;
    if (command->type != FrameType::kWrite &&
        command->type != FrameType::kCloseStdin) {
      continue;
    }
    const Reply reply = Record(*command);
    if (reply.code == ReplyCode::kOk) {
      keys_.emplace(std::string(command->key), reply.record);
    }
  }
}

Reply CommandHandler::Record(const Command& command) {
  const int64_t record = log_->writer().next_number();
  const bool needs_stdin = command.type == FrameType::kWrite ||
                           command.type == FrameType::kCloseStdin;
  if (needs_stdin && !stdin_->open()) {
    return Refuse(ReplyCode::kEnded, "the agent's stdin is closed");
  }
  switch (command.type) {
    case FrameType::kWrite:
      if (!StdinHasRoomFor(command.payload)) {
        return Refuse(ReplyCode::kExhausted,
                      "the agent does not read what was written to it");
      }
      AppendInput(command.key, command.payload);
      return {.record = record};
    case FrameType::kCloseStdin:
      log_->AppendNote(NoteText("stdin_closed").Take(), command.key);
      stdin_->Close();
      return {.record = record};
    case FrameType::kSignal:
      if (!MaySend(command.signal)) {
        return Refuse(
            ReplyCode::kInvalid,
            absl::StrCat("a driver may not send signal ", command.signal));
      }
      agent_->Signal(command.signal);
      break;
    case FrameType::kStop:
      agent_->Stop(command.grace);
      break;
    case FrameType::kNote:
      log_->AppendNote(command.payload, command.key);
      if (IsKey(command.line_key) && stdin_->open() &&
          StdinHasRoomFor(command.line) &&
          keys_.emplace(command.line_key, record + 1).second) {
        AppendInput(command.line_key, command.line);
      }
      return {.record = record};
    default:
      return Refuse(ReplyCode::kUnsupported, "no command");
  }
  if (command.payload.empty()) return {};
  log_->AppendNote(command.payload, command.key);
  return {.record = record};
}

bool CommandHandler::StdinHasRoomFor(absl::string_view bytes) const {
  return stdin_->size() + bytes.size() <= kMaxStdinQueue;
}

void CommandHandler::AppendInput(absl::string_view key,
                                 absl::string_view lines) {
  absl::string_view rest = lines;
  do {
    const size_t newline = rest.find('\n');
    const bool whole = newline != absl::string_view::npos;
    log_->writer().Append({.stream = Stream::kStdin,
                           .end = whole ? LineEnd::kNewline : LineEnd::kNone,
                           .key = std::exchange(key, ""),
                           .payload = rest.substr(0, newline)});
    rest = whole ? rest.substr(newline + 1) : absl::string_view();
  } while (!rest.empty());
  stdin_->Push(lines);
}

}  // namespace troika::relay
