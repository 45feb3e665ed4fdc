// kill_driver HOME HARNESS SCRIPT N [queue]: has a task of two turns run in
// HOME, or goes on with the one that is there, and kills itself at its N-th
// step; 0: never. With `queue`, two inputs are given while the first turn runs.
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

absl::StatusOr<std::unique_ptr<Runner>> MakeRunner(const std::string& path,
                                                   Harness harness,
                                                   const std::string& script,
                                                   RunnerTools tools) {
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
  const std::string id = absl::AsciiStrToUpper(HarnessId(harness));
  const Environment environment(
      {{"PATH", "/usr/bin:/bin"},
       {"HOME", path},
       {absl::StrCat("TROIKA_", id, "_BIN"), FakeProgram(harness)},
       {"TROIKA_FAKE_SCRIPT", script},
       {"TROIKA_FAKE_STATE", path + "/fake_state"}});
  ASSIGN_OR_RETURN(
      MadeTask made,
      MakeTask(
          home,
          {.harness = harness, .prompt = "first\nturn", .cwd = path + "/work"},
          environment,
          FindCliOf(BackendOf(harness), environment, home.version_cache()),
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

absl::Status Drive(Runner& runner, const std::string& version_cache) {
  SystemClock clock;
  while (true) {
    RETURN_IF_ERROR(runner.Advance([](Message&&) {}));
    if (runner.waits_for_start()) {
      runner.Start(FindCliOf(BackendOf(*runner.state().harness),
                             *runner.environment(), version_cache));
      continue;
    }
    const TaskState& state = runner.state();
    if (runner.caught_up()) Answer(runner);
    // The same moment in each run: an exec's end is near when it is idle.
    const Backend& backend = BackendOf(*state.harness);
    const bool follows =
        backend
            .wire_capabilities({.version = state.version}, backend.first_wire)
            .follow_up;
    const bool waits =
        follows ? state.status == TaskStatus::kIdle : runner.at_rest();
    if (waits && state.turns == 1) {
      RETURN_IF_ERROR(
          runner.Input({.prompt = "second turn", .request_key = "second"}));
    } else if (state.status == TaskStatus::kIdle && state.turns == 2) {
      RETURN_IF_ERROR(runner.CloseInput());
    } else if (runner.at_rest() && state.turns == 2) {
      return absl::OkStatus();
    }
    std::vector<pollfd> fds = runner.PollFds();
    poll(fds.data(), fds.size(), 10);
  }
}

int Main(const std::vector<std::string>& args) {
  int kill_at = 0;
  const auto harness = HarnessFromId(args[2]);
  if (!harness || !absl::SimpleAtoi(args[4], &kill_at)) return 2;
  SystemClock clock;
  int step = 0;
  auto runner = MakeRunner(
      args[1], *harness, args[3],
      {.clock = &clock, .relay_program = RelayProgram(), .on_step = [&] {
         if (++step == kill_at) raise(SIGKILL);
       }});
  absl::Status done = runner.status();
  const std::string version_cache = args[1] + "/troika/cache/versions";
  if (runner.ok()) {
    done = args.size() > 5 ? DriveQueue(**runner, version_cache)
                           : Drive(**runner, version_cache);
  }
  if (done.ok()) return 0;
  fprintf(stderr, "%s\n", std::string(done.message()).c_str());
  return 1;
}

}  // namespace
}  // namespace troika

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  return troika::Main(std::vector<std::string>(argv, argv + argc));
}
