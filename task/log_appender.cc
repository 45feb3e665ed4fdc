#include "task/log_appender.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "task/follower.h"
#include "task/notes.h"

namespace troika {
namespace {

constexpr absl::string_view kTurnKey = "turn-";
constexpr absl::string_view kInputKey = "input-in-";
constexpr absl::string_view kStartFailedKey = "start-failed-";
// A relay holds the lock a moment longer than it takes to write its last words.
constexpr absl::Duration kRetryLock = absl::Milliseconds(5);

// The number behind `prefix` in a key; 0 in another key.
int NumberOf(absl::string_view key, absl::string_view prefix) {
  int number = 0;
  if (!absl::ConsumePrefix(&key, prefix)) return 0;
  return absl::SimpleAtoi(key, &number) ? number : 0;
}

// Whether the relay took the turn or the input after all, or another process
// was started since one failed to.
bool IsOutdated(const RelayCommand& note, int turns, int inputs,
                int generation) {
  if (note.is_turn) return NumberOf(note.key, kTurnKey) <= turns;
  const int input = NumberOf(note.key, kInputKey);
  if (input != 0) return input <= inputs;
  const int failed = NumberOf(note.key, kStartFailedKey);
  return failed != 0 && failed != generation + 1;
}

}  // namespace

std::string TurnKey(int turn) { return absl::StrCat(kTurnKey, turn); }

void LogAppender::AddStartFailed(int generation, absl::string_view error) {
  Add({.key = absl::StrCat(kStartFailedKey, generation),
       .payload = notes::ToJson(notes::StartFailed{
           .generation = generation, .error = std::string(error)})});
}

bool LogAppender::HasTurns() const {
  return std::any_of(notes_.begin(), notes_.end(),
                     [](const RelayCommand& note) { return note.is_turn; });
}

void LogAppender::GiveLog(relay::LogWriter log) {
  open_log_.Start(nullptr,
                  [log = std::move(log)]() mutable { return std::move(log); });
}

absl::StatusOr<std::optional<relay::LogWriter>> LogAppender::TakeLog(
    int64_t bytes_read) {
  wake_at_ = tools_->clock->Awake() + kRetryLock;
  if (!open_log_.busy()) {
    open_log_.Start(&tools_->executor,
                    OpenLogForWriting(*folder_, tools_->clock));
  }
  auto log = open_log_.Take();
  // Unavailable: a relay that starts or ends, or another runner has the lock.
  if (!log || absl::IsUnavailable(log->status())) {
    return std::optional<relay::LogWriter>();
  }
  if (!log->ok()) return log->status();
  // Now nobody else can write. What was written since we read is read first.
  if ((*log)->offset() != bytes_read) return std::optional<relay::LogWriter>();
  return std::optional<relay::LogWriter>(**std::move(log));
}

void LogAppender::Append(relay::LogWriter log, const TaskState& state) {
  int turns = state.turns;
  ends_.clear();
  for (const RelayCommand& note : notes_) {
    if (!IsOutdated(note, turns, state.input_count, state.generation)) {
      tools_->Step();
      log.Append({.key = note.key, .payload = note.payload});
      if (note.is_turn) ++turns;
    }
    ends_.push_back(log.offset() + static_cast<int64_t>(log.pending()));
  }
  append_.Start(&tools_->executor, [log = std::move(log)]() mutable {
    Outcome outcome = {.flushed = log.Flush(), .offset = log.offset()};
    if (outcome.flushed.ok()) outcome.synced = log.Sync();
    return outcome;
  });
}

std::optional<LogAppender::Outcome> LogAppender::TakeOutcome() {
  std::optional<Outcome> outcome = append_.Take();
  if (!outcome) return std::nullopt;
  log_unread_ = true;
  // Notes that are in the log as a whole are not written again.
  const auto rest =
      std::upper_bound(ends_.begin(), ends_.end(), outcome->offset);
  notes_.erase(notes_.begin(), notes_.begin() + (rest - ends_.begin()));
  return outcome;
}

}  // namespace troika
