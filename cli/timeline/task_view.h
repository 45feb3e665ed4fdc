// Prints a task: as a timeline on a terminal or a pipe, as JSON, or not at all.
#ifndef TROIKA_CLI_TIMELINE_TASK_VIEW_H_
#define TROIKA_CLI_TIMELINE_TASK_VIEW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "agent/message.h"
#include "base/clock.h"
#include "base/flags.h"
#include "cli/io.h"
#include "cli/timeline/timeline.h"
#include "task/state.h"

namespace troika::cli {

// Rows below a block that asking the user takes.
inline constexpr size_t kRowsToAsk = 4;

struct ViewOptions {
  enum class Output {
    kText,
    kJson,   // An event a line, as the server sends it.
    kQuiet,  // Nothing; the caller prints the answer.
  };
  enum class Color { kAuto, kAlways, kNever };
  Output output = Output::kText;
  Color color = Color::kAuto;
};

// --json and --color, which all commands that show a task share.
class ViewFlags {
 public:
  void AddTo(Flags* flags);
  // InvalidArgument where --color has another value.
  absl::StatusOr<ViewOptions> Options() const;

 private:
  bool json_ = false;
  std::string color_ = "auto";
};

// Writes go to io.out, but for what Say() says.
class TaskView {
 public:
  // `clock` is borrowed. `environment` tells of NO_COLOR and TERM.
  TaskView(const ViewOptions& options, const Environment& environment,
           const Io& io, Clock* clock);

  // Kept until Flush(), or until there is much of it. `json` is the same event
  // as the server sent it.
  void Add(const Message& message, const TaskState& state,
           absl::string_view json);
  // Writes what was added, and on a terminal the line that shows the agent at
  // work.
  void Flush(const TaskState& state);
  // Takes that line away, and ends one that is open.
  void Finish();
  // Something about ourselves, on io.err.
  void Say(absl::string_view text);
  // A line that is left open for the user to type on; while it is, no line
  // shows the agent at work. An empty one: what was asked is settled.
  void Prompt(absl::string_view text);
  // The user has ended that line.
  void PromptTyped() { prompt_.clear(); }
  // Takes the prompt away again, as far as the terminal can.
  void ErasePrompt();

  // What the agent asks, whole, for this terminal.
  std::vector<std::string> Rows(const Approval& approval) const {
    return timeline_.Rows(approval);
  }
  std::vector<std::string> Rows(const Question& question) const {
    return timeline_.Rows(question);
  }
  enum class Block { kNew, kSame };
  // Prints rows as a block, or as more of the block before.
  void ShowRows(const std::vector<std::string>& rows, Block block);
  // The approval or question that stands last on the screen, whole; or empty.
  const std::string& last_asked() const { return last_asked_; }
  // From now on, what is asked is shown only if it fits into the terminal
  // together with a question: the caller shows the rest.
  void LimitToScreen();
  // Columns of the terminal; 0 if there is none.
  size_t width() const;
  // Says what is wrong with the log, and when that is over (empty): each once,
  // however often it is told.
  void SayTrouble(absl::string_view trouble);
  // In a timeline: the turn that waits for an agent, where one does.
  void ShowWaiting(const TaskState& state);

  // The first error of writing; Cancelled where the reader is gone.
  const absl::Status& written() const { return written_; }
  // When to call Flush again even if nothing has come, by Clock::Awake().
  absl::Time wake_at() const { return wake_at_; }
  ViewOptions::Output output() const { return options_.output; }

  // The exit code that says how the task or its last turn ended; kExitOk where
  // it has not.
  int ExitCode(const TaskState& state) const;

 private:
  void Write();
  void HideStatus();
  void EndPrompt();

  const ViewOptions options_;
  const Io io_;
  Clock* const clock_;
  const bool terminal_;  // One that can redraw a line.
  Timeline timeline_;
  std::string buffer_;
  absl::Status written_;
  std::string status_shown_;  // Empty: none is.
  std::string prompt_;        // Empty: none is open.
  bool limited_ = false;
  std::string last_asked_;
  std::string trouble_said_;
  absl::Time wake_at_ = absl::InfiniteFuture();
  bool deadline_passed_ = false;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TASK_VIEW_H_
