#include "cli/tail_command.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/signals.h"
#include "cli/task_place.h"
#include "cli/task_view.h"
#include "cli/wait.h"
#include "task/follower.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika tail TASK [-f] [FLAG...]

Shows a whole task, from its start. TASK is its id, a beginning of the id that
no other task has, or latest.

  -f, --follow  go on until the task has ended, or waits for input; leaving does
                not disturb it
  --json        events, a line of JSON each: dto/troika.proto
  --color WHEN  auto (on terminals, without NO_COLOR), always, never

Exit code: 0 where the task goes on, else as of `troika run`; 130 where Ctrl-C
ended this command; 1 where the task can't be read, or with -f was never
started; 2 where the command line is wrong or there is no such task.

Examples:
  troika tail latest -f
  troika tail latest --json | jq -r 'select(.text) | .text.text'
)";

// A runner that wants no more of an idle agent has it ended by then, and one
// that is there for a turn has the log's lock to start an agent.
constexpr int64_t kStillPatience = 2000000;

enum class Until { kNow, kEnd };

struct CommandLine {
  std::string task;
  Until until = Until::kNow;
  ViewOptions view;
};

absl::StatusOr<CommandLine> ReadCommandLine(
    absl::Span<const std::string> args) {
  bool follow = false;
  ViewFlags view;
  Flags flags;
  flags.Add("follow", &follow);
  flags.AddShort('f', "follow");
  view.AddTo(&flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  CommandLine line = {.until = follow ? Until::kEnd : Until::kNow};
  ASSIGN_OR_RETURN(line.task, OneTask(words));
  ASSIGN_OR_RETURN(line.view, view.Options());
  return line;
}

// A task, shown until its end or ours.
class Tail {
 public:
  Tail(Follower* follower, const TaskFolder* folder, TaskView* view,
       Clock* clock)
      : follower_(*follower), folder_(*folder), view_(*view), clock_(*clock) {}

  // Both return the exit code.
  absl::StatusOr<int> ShowNow() {
    const absl::Status advanced = Advance();
    if (advanced.ok() && !follower_.at_rest()) {
      follower_.Finish([&](Message&& m) { view_.Add(m, state()); });
    }
    return End(advanced);
  }

  absl::StatusOr<int> ShowToEnd() {
    Signals signals;
    while (true) {
      const absl::Status advanced = Advance();
      if (follower_.at_rest() || !advanced.ok()) return End(advanced);
      view_.Flush(state());
      view_.SayTrouble(follower_.trouble());
      if (StandsStill()) return EndOfStandstill();
      // A reader that leaves is no error to tell anybody.
      if (absl::IsCancelled(view_.written())) return kExitOk;
      RETURN_IF_ERROR(view_.written());
      Wait({follower_.PollFd(), {.fd = signals.fd(), .events = POLLIN}},
           Sooner(Sooner(follower_.wake_at(), view_.wake_at()), still_until_),
           clock_);
      const std::vector<int> taken = signals.Take();
      if (!taken.empty()) {
        view_.Finish();
        return kExitSignal + taken.front();
      }
    }
  }

 private:
  // Why nothing more comes by itself.
  enum class Still { kNot, kIdle, kNotStarted };

  const TaskState& state() const { return follower_.state(); }

  absl::Status Advance() {
    return follower_.Advance([&](Message&& m) { view_.Add(m, state()); });
  }

  absl::StatusOr<int> End(const absl::Status& advanced) {
    view_.ShowWaiting(state());
    view_.Finish();
    RETURN_IF_ERROR(advanced);
    view_.SayTrouble(follower_.trouble());
    return view_.ExitCode(state());
  }

  Still Look() const {
    if (state().status == TaskStatus::kIdle) return Still::kIdle;
    const bool waits = !state().process_alive && state().turns_waiting > 0;
    return waits && LogIsFree(folder_) ? Still::kNotStarted : Still::kNot;
  }

  // Whether it has done so for long enough.
  bool StandsStill() {
    const int64_t now = clock_.NowMicros();
    const Still still = Look();
    if (still == Still::kNot) {
      still_until_ = 0;
    } else if (still != still_ || still_until_ == 0) {
      still_until_ = now + kStillPatience;
    }
    still_ = still;
    return still_ != Still::kNot && now >= still_until_;
  }

  int EndOfStandstill() {
    if (still_ == Still::kIdle) {
      view_.Finish();
      view_.Say("the agent waits for input, and nothing more comes by itself");
      return kExitOk;
    }
    follower_.Finish([&](Message&& m) { view_.Add(m, state()); });
    view_.ShowWaiting(state());
    view_.Say(absl::StrCat(
        state().generation == 0 ? "the task" : "the task's last turn",
        " was never started, and nobody is there to start it: give the prompt "
        "again with `troika run`"));
    return kExitFailure;
  }

  Follower& follower_;
  const TaskFolder& folder_;
  TaskView& view_;
  Clock& clock_;
  Still still_ = Still::kNot;
  int64_t still_until_ = 0;  // 0: it does not stand still.
};

absl::StatusOr<int> Show(const TaskFolder& folder, Until until, Clock& clock,
                         TaskView& view) {
  ASSIGN_OR_RETURN(Follower follower,
                   Follower::Open(&folder, {.clock = &clock}));
  Tail tail(&follower, &folder, &view, &clock);
  return until == Until::kNow ? tail.ShowNow() : tail.ShowToEnd();
}

int Run(absl::Span<const std::string> args, const Io& io) {
  const absl::StatusOr<CommandLine> line = ReadCommandLine(args);
  if (!line.ok()) {
    return UsageError(io, kTailCommand, line.status().message());
  }
  const Environment environment = ProcessEnvironment();
  const absl::StatusOr<TaskFolder> folder = FindTask(environment, line->task);
  if (!folder.ok()) {
    Fail(io, folder.status().message());
    return kExitUsage;
  }
  SystemClock clock;
  TaskView view(line->view, environment, io, &clock);
  const absl::StatusOr<int> code = Show(*folder, line->until, clock, view);
  return code.ok() ? *code : Fail(io, code.status().message());
}

}  // namespace

constinit const Command kTailCommand = {.name = "tail",
                                        .summary = "show a task, and follow it",
                                        .help = kHelp,
                                        .run = Run};

}  // namespace troika::cli
