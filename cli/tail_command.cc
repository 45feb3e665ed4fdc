#include "cli/tail_command.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "cli/flags.h"
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
ended this command; 1 where the task can't be read; 2 where the command line is
wrong or there is no such task.

Examples:
  troika tail latest -f
  troika tail latest --json | jq -r 'select(.text) | .text.text'
)";

// A runner that wants no more of an idle agent has it ended by then.
constexpr int64_t kIdlePatience = 2000000;

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

// The exit code.
absl::StatusOr<int> Show(const TaskFolder& folder, Until until, Clock& clock,
                         TaskView& view) {
  ASSIGN_OR_RETURN(Follower follower,
                   Follower::Open(&folder, {.clock = &clock}));
  Signals signals;
  int64_t idle_until = 0;  // 0: the agent is not idle.
  while (true) {
    const absl::Status advanced =
        follower.Advance([&](Message&& m) { view.Add(m, follower.state()); });
    if (until == Until::kNow || follower.at_rest() || !advanced.ok()) {
      view.Finish();
      RETURN_IF_ERROR(advanced);
      return view.ExitCode(follower.state());
    }
    view.Flush(follower.state());
    const int64_t now = clock.NowMicros();
    if (follower.state().status != TaskStatus::kIdle) {
      idle_until = 0;
    } else if (idle_until == 0) {
      idle_until = now + kIdlePatience;
    } else if (now >= idle_until) {
      view.Finish();
      view.Say("the agent waits for input, and nothing more comes by itself");
      return kExitOk;
    }
    // A reader that leaves is no error to tell anybody.
    if (absl::IsCancelled(view.written())) return kExitOk;
    RETURN_IF_ERROR(view.written());
    Wait({follower.PollFd(), {.fd = signals.fd(), .events = POLLIN}},
         Sooner(Sooner(follower.wake_at(), view.wake_at()), idle_until), clock);
    const std::vector<int> taken = signals.Take();
    if (!taken.empty()) {
      view.Finish();
      return kExitSignal + taken.front();
    }
  }
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
