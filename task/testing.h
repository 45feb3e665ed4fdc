// Makes logs in tests.
#ifndef TROIKA_TASK_TESTING_H_
#define TROIKA_TASK_TESTING_H_

#include <cstdint>
#include <deque>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "relay/record.h"
#include "task/notes.h"
#include "task/replay.h"

namespace troika {

// Lines of codex exec.
inline constexpr absl::string_view kThread =
    R"({"type":"thread.started","thread_id":"th1"})";
inline constexpr absl::string_view kTurnStarted = R"({"type":"turn.started"})";
inline constexpr absl::string_view kAnswer =
    R"({"type":"item.completed","item":{"id":"item_0",)"
    R"("type":"agent_message","text":"hello"}})";
inline constexpr absl::string_view kTool =
    R"({"type":"item.started","item":{"id":"item_1",)"
    R"("type":"command_execution","command":"ls","aggregated_output":"",)"
    R"("exit_code":null,"status":"in_progress"}})";
inline constexpr absl::string_view kTurnCompleted =
    R"({"type":"turn.completed","usage":{"input_tokens":5,)"
    R"("output_tokens":2}})";

// A log in memory. Record n is at second n, and later by what Pass() added.
class LogMaker {
 public:
  LogMaker() = default;
  LogMaker(const LogMaker&) = delete;
  LogMaker& operator=(const LogMaker&) = delete;

  using Entry = std::variant<relay::LogRecord, relay::Damage>;

  LogMaker& Note(const notes::Note& note);
  LogMaker& NoteText(absl::string_view json);
  LogMaker& Stdout(absl::string_view line);
  LogMaker& Stderr(absl::string_view line);
  LogMaker& Stdin(absl::string_view line, absl::string_view key = "");
  // A record of any kind.
  LogMaker& Add(relay::Stream stream, relay::LineEnd end,
                absl::string_view payload, absl::string_view key = "");
  // The lines of `text` as one batch.
  LogMaker& Batch(relay::Stream stream, absl::string_view text);
  // A line each, empty ones left out.
  LogMaker& StdoutLines(absl::string_view text);
  // The clock of the log's writer goes on, or back.
  LogMaker& Pass(absl::Duration time);
  // `missing` records can't be read.
  LogMaker& Damage(int missing = 1);

  // A request and its first turn; a process for that turn.
  LogMaker& Begin(absl::string_view harness);
  LogMaker& Spawn(int generation, int turn);

  // A whole process of Codex with one good turn.
  LogMaker& GoodTurn(int turn);

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  absl::string_view Keep(absl::string_view text);

  std::vector<Entry> entries_;
  std::deque<std::string> kept_;
  int64_t number_ = 0;
  int64_t offset_ = 100;
  absl::Duration passed_;
};

// What a log's first `count` entries bring; all of them where it is left out.
std::vector<Message> RunLog(Replay& replay, const LogMaker& log,
                            size_t count = SIZE_MAX);
// Feeds one more note.
void Tell(Replay& replay, int64_t number, const notes::Note& note);
void Feed(Replay& replay, const LogMaker::Entry& entry, MessageSink sink);

// A line each as goldens have them, without times.
std::string Texts(const std::vector<Message>& messages);
std::string StatusOf(const Replay& replay);
Result LastResult(const std::vector<Message>& messages);

}  // namespace troika

#endif  // TROIKA_TASK_TESTING_H_
