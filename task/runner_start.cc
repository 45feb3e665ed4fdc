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
  auto log = relay::LogWriter::Open(folder_.fd.get(), folder_.id, tools_.clock);
  // Somebody else is at it: a relay that starts, or another runner. The
  // follower looks again in a moment.
  if (absl::IsUnavailable(log.status())) return absl::OkStatus();
  if (!log.ok()) return TryAgainLater(log.status());
  // Now nobody else can write. What was written since we read is read first.
  if (log->offset() != follower_->offset()) return absl::OkStatus();
  return Launch(*std::move(log));
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

std::optional<absl::StatusOr<Cli>> Runner::FindCliNow() {
  if (cli_) {
    // The owner has let us start already.
    Cli cli = *std::move(cli_);
    cli_.reset();
    return cli;
  }
  if (tools_.find_cli) return tools_.find_cli(*backend_, environment_);
  return FindCliOf(*backend_, environment_, tools_.version_cache);
}

absl::Status Runner::Launch(relay::LogWriter log) {
  const auto found = FindCliNow();
  waits_for_start_ = !found.has_value();
  if (!found) return absl::OkStatus();
  const absl::StatusOr<Cli>& cli = *found;
  if (!cli.ok()) return FailStart(std::move(log), cli.status().message());
  const auto request = NextLaunch();
  if (!request.ok()) {
    return FailStart(std::move(log), request.status().message());
  }
  const auto launch = backend_->BuildLaunch(*request, *cli);
  if (!launch.ok()) return FailStart(std::move(log), launch.status().message());
  const int generation = state().generation + 1;
  const bool keeps =
      !request->resume_session.empty() && backend_->resume_keeps_session(*cli);
  const relay::RelaySpec spec = {
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
          .version = cli->version,
          .stdin_mode = std::string(StdinName(launch->stdin_mode)),
          .expected_session = keeps ? request->resume_session : "",
          .notices = launch->notices}),
      .spawned_key = absl::StrCat("spawn-", generation),
      .max_log_bytes = tools_.max_log_bytes,
      .grace_ms = tools_.grace_ms};
  Step();
  auto ready = relay::StartRelay(tools_.relay_program, spec, std::move(log),
                                 folder_.fd.get());
  if (ready.ok()) {
    ready_ = *std::move(ready);
    ++starts_;
    trouble_.clear();
    return absl::OkStatus();
  }
  if (absl::IsResourceExhausted(ready.status())) {
    cli_ = *cli;
    return TryAgainLater(ready.status());
  }
  KeepStartFailed(ready.status().message());
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
