// How a runner makes tasks and starts their processes.
#include <poll.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "relay/start.h"
#include "task/make.h"
#include "task/runner.h"

namespace troika {
namespace {

absl::string_view StdinName(Launch::Stdin mode) {
  switch (mode) {
    case Launch::Stdin::kNull:
      return "null";
    case Launch::Stdin::kPrompt:
      return "prompt";
    case Launch::Stdin::kConversation:
      break;
  }
  return "conversation";
}

std::vector<std::string> EnvironmentOf(const Environment& environment,
                                       const Launch& launch) {
  Environment::Map variables = environment.variables();
  for (const auto& [name, value] : launch.env) variables[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) {
    entries.push_back(absl::StrCat(name, "=", value));
  }
  return entries;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Runner>> Runner::Create(const Home& home,
                                                       TaskRequest request,
                                                       Environment environment,
                                                       RunnerTools tools) {
  MakePathsAbsolute(&request);
  ASSIGN_OR_RETURN(
      TaskFolder folder,
      MakeTask(home, std::move(request), environment,
               {.clock = tools.clock, .version_cache = tools.version_cache}));
  std::unique_ptr<Runner> runner(
      new Runner(std::move(folder), std::move(tools)));
  runner->environment_ = ForAgents(environment);
  RETURN_IF_ERROR(runner->OpenFollower());
  return runner;
}

absl::Status Runner::StartProcess() {
  // While the owner lets us wait, the log's lock is left to others.
  waits_for_start_ = waited_for_start_ && !FindCliNow();
  if (waits_for_start_) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::optional<relay::LogWriter> log, TakeLog());
  if (!log) return absl::OkStatus();
  waits_for_start_ = waited_for_start_ = !FindCliNow();
  if (waits_for_start_) return absl::OkStatus();
  const absl::StatusOr<Cli> cli = *std::exchange(cli_, std::nullopt);
  if (!cli.ok()) return FailStart(*std::move(log), cli.status().message());
  return Launch(*std::move(log), *cli);
}

absl::StatusOr<LaunchRequest> Runner::NextLaunch() const {
  const bool first = state().session_id.empty();
  LaunchOptions options = options_;
  options.model = state().asked_model;
  if (state().edit_mode) {
    // A turn's takes the place of the request's own settings.
    options.edit_mode = state().edit_mode;
    options.approval_policy.clear();
    options.sandbox.clear();
    options.dangerously_bypass = false;
  }
  options.images.clear();
  if (const TurnAsked* turn = follower_->replay().waiting_turn()) {
    for (const TurnAsked::Image& image : turn->images) {
      options.images.push_back(image.path);
    }
  }
  return CompleteLaunch(
      {.options = std::move(options),
       .cwd = request().cwd,
       .resume_session = first ? request().resume_session : state().session_id},
      *backend_);
}

bool Runner::FindCliNow() {
  if (cli_) return true;
  cli_ = tools_.find_cli
             ? tools_.find_cli(*backend_, environment_)
             : FindCliOf(*backend_, environment_, tools_.version_cache);
  return cli_.has_value();
}

absl::Status Runner::Launch(relay::LogWriter log, const Cli& cli) {
  const auto request = NextLaunch();
  if (!request.ok()) {
    return FailStart(std::move(log), request.status().message());
  }
  const auto launch = backend_->BuildLaunch(*request, cli);
  if (!launch.ok()) return FailStart(std::move(log), launch.status().message());
  const int generation = state().generation + 1;
  const bool keeps =
      !request->resume_session.empty() && backend_->resume_keeps_session(cli);
  relay::RelaySpec spec = {
      .argv = launch->argv,
      .env = EnvironmentOf(environment_, *launch),
      .cwd = request->cwd,
      .stdin_mode = launch->stdin_mode == Launch::Stdin::kNull
                        ? relay::StdinMode::kNull
                        : relay::StdinMode::kPipe,
      .spawned_note = notes::ToJson(notes::Spawned{
          .generation = generation,
          .turn = state().turns - state().turns_waiting + 1,
          .argv = launch->argv,
          .cwd = request->cwd,
          .version = cli.version,
          .stdin_mode = std::string(StdinName(launch->stdin_mode)),
          .expected_session = keeps ? request->resume_session : "",
          .notices = launch->notices}),
      .spawned_key = absl::StrCat("spawn-", generation),
      .max_log_bytes = tools_.max_log_bytes,
      .grace = tools_.grace};
  Step();
  start_relay_.Start(
      &tools_.executor,
      [program = tools_.relay_program, spec = std::move(spec),
       log = std::move(log),
       dir = CopyOf(folder_.fd)]() mutable -> absl::StatusOr<UniqueFd> {
        RETURN_IF_ERROR(dir.status());
        return relay::StartRelay(program, spec, std::move(log), dir->get());
      });
  cli_ = cli;  // For where it is tried again.
  return FinishLaunch();
}

absl::Status Runner::FinishLaunch() {
  auto ready = start_relay_.Take();
  if (!ready) return absl::OkStatus();
  if (absl::IsResourceExhausted(ready->status())) {
    return TryAgainLater(ready->status());
  }
  cli_.reset();
  if (ready->ok()) {
    ready_ = **std::move(ready);
    ++starts_;
    trouble_.clear();
    return absl::OkStatus();
  }
  KeepStartFailed(ready->status().message());
  return AppendPending();
}

void Runner::OnRelayStarted() {
  pollfd fd = {.fd = ready_.get(), .events = POLLIN};
  if (poll(&fd, 1, 0) <= 0) return;
  const absl::Status started = relay::RelayStarted(ready_.get());
  ready_.Reset();
  if (!started.ok()) KeepStartFailed(started.message());
}

absl::Status Runner::FailStart(relay::LogWriter log, absl::string_view error) {
  KeepStartFailed(error);
  return AppendPendingTo(std::move(log));
}

}  // namespace troika
