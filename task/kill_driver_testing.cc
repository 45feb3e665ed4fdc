// kill_driver HOME HARNESS WIRE SCRIPT N [queue|steer]: has a task of two turns
// run in HOME, or goes on with the one that is there, and kills itself at its
// N-th step; 0: never. With `queue`, two inputs are given while the first turn
// runs; with `steer`, one is added to the first turn once the agent has said
// something.
#include <poll.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agent/discovery/environment.h"
#include "agent/harness.h"
#include "agent/registry.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "task/home.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

struct Options {
  std::string path;
  Harness harness;
  Wire wire;
  std::string script;
  std::string what;
};

absl::StatusOr<std::unique_ptr<Runner>> MakeRunner(const Options& options,
                                                   RunnerTools tools) {
  const std::string& path = options.path;
  ASSIGN_OR_RETURN(
      const Home home,
      Home::Open(Environment({{"TROIKA_HOME", path + "/troika"}})));
  tools.version_cache = home.version_cache();
  for (const std::string& id : home.TaskIds()) {
    ASSIGN_OR_RETURN(TaskFolder folder, home.FindTask(id));
    // Killed before its log began: nobody was told of that task.
    if (!Follower::Open(&folder, {.clock = tools.clock}).ok()) continue;
    return Runner::Open(std::move(folder), std::move(tools));
  }
  const std::string id = absl::AsciiStrToUpper(HarnessId(options.harness));
  const Environment environment(
      {{"PATH", "/usr/bin:/bin"},
       {"HOME", path},
       {absl::StrCat("TROIKA_", id, "_BIN"), FakeProgram(options.harness)},
       {"TROIKA_FAKE_SCRIPT", options.script},
       {"TROIKA_FAKE_STATE", path + "/fake_state"}});
  TaskRequest request = {.harness = options.harness,
                         .prompt = "first\nturn",
                         .cwd = path + "/work"};
  request.options.wire = options.wire;
  request.options.skip_git_check = options.wire == Wire::kAppServer;
  if (options.wire == Wire::kAppServer || options.wire == Wire::kAcp) {
    request.options.edit_mode = EditMode::kAsk;
  }
  ASSIGN_OR_RETURN(MadeTask made,
                   MakeTask(home, std::move(request), environment,
                            FindCliOf(BackendOf(options.harness), environment,
                                      home.version_cache()),
                            tools.clock));
  return Runner::Open(std::move(made), std::move(tools));
}

// Answers what waits, as often as we come by: the first answer counts.
void Answer(Runner& runner) {
  const TaskState& state = runner.state();
  for (const auto& [id, approval] : state.approvals) {
    runner
        .Respond({.id = id,
                  .by = "user",
                  .via = "api",
                  .answer = ApprovalAnswer{.allow = true}})
        .IgnoreError();
  }
  for (const auto& [id, question] : state.questions) {
    runner
        .Respond({.id = id,
                  .by = "user",
                  .via = "api",
                  .answer = QuestionAnswer{.answers = {{"Red"}}}})
        .IgnoreError();
  }
}

// Gives the inputs that the task does not have. Whether it has had all turns.
absl::StatusOr<bool> GiveInputs(Runner& runner) {
  const TaskState& state = runner.state();
  if (!state.started || state.status == TaskStatus::kStarting) return false;
  for (const char* prompt : {"second", "third"}) {
    RETURN_IF_ERROR(runner.Input(
        {.prompt = prompt, .request_key = prompt, .mode = InputMode::kQueue}));
  }
  if (state.turns < 3) return false;
  if (state.status == TaskStatus::kIdle) RETURN_IF_ERROR(runner.CloseInput());
  return runner.at_rest();
}

absl::Status DriveQueue(Runner& runner, const std::string& version_cache) {
  while (true) {
    RETURN_IF_ERROR(runner.Advance([](Message&&) {}));
    if (runner.waits_for_start()) {
      runner.Start(FindCliOf(BackendOf(*runner.state().harness),
                             *runner.environment(), version_cache));
      continue;
    }
    ASSIGN_OR_RETURN(const bool done, GiveInputs(runner));
    if (done) return absl::OkStatus();
    std::vector<pollfd> fds = runner.PollFds();
    poll(fds.data(), fds.size(), 10);
  }
}

absl::Status Drive(Runner& runner, const Options& options,
                   const std::string& version_cache) {
  bool spoke = false;
  const int turns_before_second = options.what == "steer" ? 2 : 1;
  while (true) {
    RETURN_IF_ERROR(runner.Advance([&](Message&& message) {
      spoke = spoke || std::holds_alternative<Text>(message.payload);
    }));
    if (runner.waits_for_start()) {
      runner.Start(FindCliOf(BackendOf(*runner.state().harness),
                             *runner.environment(), version_cache));
      continue;
    }
    const TaskState& state = runner.state();
    if (runner.caught_up()) Answer(runner);
    if (spoke && runner.caught_up() && state.turns < turns_before_second) {
      RETURN_IF_ERROR(runner.Input({.prompt = "to the left",
                                    .request_key = "steer",
                                    .mode = InputMode::kSteer}));
    }
    // The same moment in each run: an exec's end is near when it is idle.
    const bool follows =
        BackendOf(options.harness)
            .wire_capabilities({.version = state.version}, options.wire)
            .follow_up;
    const bool waits =
        follows ? state.status == TaskStatus::kIdle : runner.at_rest();
    if (waits && state.turns == turns_before_second) {
      RETURN_IF_ERROR(
          runner.Input({.prompt = "second turn", .request_key = "second"}));
    } else if (state.turns > turns_before_second) {
      if (runner.at_rest()) return absl::OkStatus();
      if (state.status == TaskStatus::kIdle) {
        RETURN_IF_ERROR(runner.CloseInput());
      }
    }
    std::vector<pollfd> fds = runner.PollFds();
    poll(fds.data(), fds.size(), 10);
  }
}

int Main(const std::vector<std::string>& args) {
  int kill_at = 0;
  const auto harness = HarnessFromId(args[2]);
  const auto wire = FromName<Wire>(args[3]);
  if (!harness || !wire || !absl::SimpleAtoi(args[5], &kill_at)) return 2;
  const Options options = {.path = args[1],
                           .harness = *harness,
                           .wire = *wire,
                           .script = args[4],
                           .what = args.size() > 6 ? args[6] : ""};
  SystemClock clock;
  int step = 0;
  auto runner = MakeRunner(
      options,
      {.clock = &clock, .relay_program = RelayProgram(), .on_step = [&] {
         if (++step == kill_at) raise(SIGKILL);
       }});
  absl::Status done = runner.status();
  const std::string version_cache = options.path + "/troika/cache/versions";
  if (runner.ok()) {
    done = options.what == "queue" ? DriveQueue(**runner, version_cache)
                                   : Drive(**runner, options, version_cache);
  }
  if (done.ok()) return 0;
  fprintf(stderr, "%s\n", std::string(done.message()).c_str());
  return 1;
}

}  // namespace
}  // namespace troika

int main(int argc, char** argv) {
  if (argc != 6 && argc != 7) return 2;
  return troika::Main(std::vector<std::string>(argv, argv + argc));
}
