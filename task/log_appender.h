// Appends notes to a task's log while no process of the task lives: turns that
// no process took, inputs that wait, cancels, and starts that failed. They wait
// here until the log's lock is free.
//
//   appender.Add(note);
//   ASSIGN_OR_RETURN(auto log, appender.TakeLog(follower.offset()));
//   if (log) appender.Append(*std::move(log), state);
//   if (auto outcome = appender.TakeOutcome()) ...
#ifndef TROIKA_TASK_LOG_APPENDER_H_
#define TROIKA_TASK_LOG_APPENDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "relay/log_writer.h"
#include "task/command_queue.h"
#include "task/home.h"
#include "task/later.h"
#include "task/runner_tools.h"
#include "task/state.h"

namespace troika {

// The key of the note that asks for a turn.
std::string TurnKey(int turn);

// Loop thread only.
class LogAppender {
 public:
  struct Outcome {
    absl::Status flushed;
    absl::Status synced;
    int64_t offset = 0;  // Where the log then ended.
  };

  // Both are borrowed.
  LogAppender(const TaskFolder* folder, RunnerTools* tools)
      : folder_(folder), tools_(tools) {}

  void Add(RelayCommand note) { notes_.push_back(std::move(note)); }
  // The note of a process that could not be started.
  void AddStartFailed(int generation, absl::string_view error);
  bool empty() const { return notes_.empty(); }
  bool HasTurns() const;

  // Has TakeLog() return a log that the caller opened.
  void GiveLog(relay::LogWriter log);
  // The log, locked. Nothing while it is being opened, if somebody else has the
  // lock, or if the log has grown beyond what the caller has read.
  absl::StatusOr<std::optional<relay::LogWriter>> TakeLog(int64_t bytes_read);
  // Lets go of a lock that was taken for TakeLog().
  void ReleaseLog() { open_log_.Take(); }
  // When to call TakeLog() again.
  absl::Time wake_at() const { return wake_at_; }

  // Appends all notes but those that `state` shows to be outdated.
  void Append(relay::LogWriter log, const TaskState& state);
  // The outcome of Append(), once. Notes that are not in the log stay here.
  std::optional<Outcome> TakeOutcome();

  // Whether work that blocks is under way.
  bool running() const { return open_log_.running() || append_.running(); }
  // Whether something was appended since set_log_read().
  bool log_unread() const { return log_unread_; }
  void set_log_read() { log_unread_ = false; }

 private:
  const TaskFolder* const folder_;
  RunnerTools* const tools_;
  std::vector<RelayCommand> notes_;
  absl::Time wake_at_ = absl::InfiniteFuture();
  Later<absl::StatusOr<relay::LogWriter>> open_log_;
  Later<Outcome> append_;
  // Where each of the notes that are being appended ends in the log.
  std::vector<int64_t> ends_;
  bool log_unread_ = false;
};

}  // namespace troika

#endif  // TROIKA_TASK_LOG_APPENDER_H_
