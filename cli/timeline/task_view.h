// Prints a task: as a timeline on a terminal or a pipe, as JSON, or not at all.
#ifndef TROIKA_CLI_TIMELINE_TASK_VIEW_H_
#define TROIKA_CLI_TIMELINE_TASK_VIEW_H_

#include <string>
#include <utility>
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
#include "cli/timeline/rules_pause.h"
#include "cli/timeline/timeline.h"
#include "task/state.h"

namespace troika::cli {

// Rows below an approval or question that the prompt for it takes.
inline constexpr size_t kRowsToAsk = 4;

struct ViewOptions {
  enum class Output {
    kText,
    kJson,   // Each event as a line, as the server sends it.
    kQuiet,  // Nothing; the caller prints the answer.
  };
  enum class Color { kAuto, kAlways, kNever };
  Output output = Output::kText;
  Color color = Color::kAuto;
  Timeline::Detail detail = Timeline::Detail::kFolded;
};

// Whether to colour what is written to `fd`, with NO_COLOR and TERM of the
// environment.
Timeline::Color ColorFor(const ViewOptions& options,
                         const Environment& environment, int fd);

// Whether an agent works on the task, or is about to.
bool IsAtWork(TaskStatus status);

// The line that shows an agent at work, with the sign for this moment.
std::string StatusLineNow(const Timeline& timeline, const TaskState& state,
                          Clock* clock);
// How long that sign is shown.
inline constexpr absl::Duration kStatusFrame = absl::Milliseconds(100);

// Reads the value of --color. InvalidArgument if it is unknown.
absl::StatusOr<ViewOptions::Color> ReadColor(absl::string_view value);

// --json, --color and --full, which all commands that show a task share.
class ViewFlags {
 public:
  void AddTo(Flags* flags);
  // InvalidArgument if --color has an unknown value.
  absl::StatusOr<ViewOptions> Options() const;

 private:
  bool json_ = false;
  bool full_ = false;
  std::string color_ = "auto";
};

// Writes to io.out; only Say() writes to io.err.
class TaskView {
 public:
  // `clock` is borrowed. `environment` has NO_COLOR and TERM.
  TaskView(const ViewOptions& options, const Environment& environment,
           const Io& io, Clock* clock);

  // Adds a message, which is written by Flush(), or before if there is much to
  // write. `json` is the same event as the server sent it.
  void Add(const Message& message, const TaskState& state,
           absl::string_view json);
  // Writes what was added, and on a terminal the status line that shows the
  // agent at work.
  void Flush(const TaskState& state);
  // Erases the status line, and ends an open line.
  void Finish();
  // Prints "troika: TEXT" to io.err.
  void Say(absl::string_view text);
  // Shows a prompt for the user to type after; until the user has typed a line,
  // no status line is shown. An empty `text` ends the prompt.
  void Prompt(absl::string_view text);
  // Calls the user to the terminal, if it is one (alert.h).
  void Alert(absl::string_view text);
  // Called when the user has typed a line.
  void PromptTyped() { prompt_.clear(); }
  // Erases the prompt if the terminal can do that, or ends its line.
  void ErasePrompt();

  // See Timeline::HidePrompt.
  void HidePrompt(std::string prompt) {
    timeline_.HidePrompt(std::move(prompt));
  }
  // For the rows of an approval or question on this terminal.
  const Timeline& timeline() const { return timeline_; }
  enum class Block { kNew, kSame };
  // Prints rows as a new block, or as part of the block before.
  void ShowRows(const std::vector<std::string>& rows, Block block);
  // Id of the approval or question that was printed last and whole, or empty.
  const std::string& last_asked() const { return last_asked_; }
  // From now on shows an approval or question only if it fits on the screen
  // together with its prompt. The caller shows longer ones.
  void LimitToScreen();
  // Columns of the terminal, or 0 if there is none.
  size_t width() const;
  // Prints a new trouble of the task's log, and when it is over (empty).
  void SayTrouble(absl::string_view trouble);
  // Shows in a timeline the turn that waits for an agent, if there is one.
  void ShowWaiting(const TaskState& state);

  // The first error of writing; Cancelled if the reader is gone.
  const absl::Status& written() const { return written_; }
  // Whether something waits for a person, as of the last Flush.
  bool person_is_asked() const { return asked_; }
  // When to call Flush again even if nothing comes, by Clock::Awake().
  absl::Time wake_at() const { return wake_at_; }
  ViewOptions::Output output() const { return options_.output; }

  // The exit code for how the task or its last turn ended; kExitOk if it has
  // not.
  int ExitCode(const TaskState& state) const;

 private:
  void Write();
  void HideStatus();
  void EndPrompt();

  const ViewOptions options_;
  const Io io_;
  Clock* const clock_;
  const bool terminal_;  // Whether io.out can redraw a line.
  Timeline timeline_;
  std::string buffer_;
  absl::Status written_;
  std::string status_shown_;  // The status line, or empty.
  std::string prompt_;        // The open prompt, or empty.
  bool limited_ = false;
  RulesPause pause_;
  bool asked_ = false;  // Whether the agent waited for the user last.
  std::string last_asked_;
  std::string trouble_said_;
  absl::Time wake_at_ = absl::InfiniteFuture();
  bool deadline_passed_ = false;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_TASK_VIEW_H_
