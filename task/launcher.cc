#include "task/launcher.h"

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "task/command_queue.h"
#include "task/follower.h"
#include "task/make.h"
#include "task/notes.h"
#include "task/policy_hold.h"

namespace troika {
namespace {

// In the order of Launch::Stdin.
constexpr const char* kStdinNames[] = {"null", "prompt", "conversation"};

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

int64_t MinuteOf(absl::Time time) { return absl::ToUnixSeconds(time) / 60; }

absl::StatusOr<LaunchRequest> NextLaunch(const Replay& replay,
                                         const Backend& backend) {
  const TaskState& state = replay.state();
  const notes::Request& request = *replay.request();
  LaunchOptions options = NextOptions(request, state);
  if (const TurnAsked* turn = replay.waiting_turn()) {
    for (const TurnAsked::Image& image : turn->images) {
      options.images.push_back(image.path);
    }
  }
  const bool first = state.session_id.empty();
  return CompleteLaunch(
      {.options = std::move(options),
       .cwd = request.cwd,
       .resume_session = first ? request.resume_session : state.session_id,
       // Once the copy has an id, it is continued like any session.
       .fork_session = first && request.fork_session,
       .fork_point = first ? request.fork.point : "",
       .converses = state.converses,
       .guarded = request.policy_restricts},
      backend);
}

// The first input of a process as the relay's first commands. A longer one than
// a pipe takes at once is left to the runner, as relay and guard would keep it
// in memory.
std::vector<std::string> FirstCommands(const std::vector<Outgoing>& input) {
  constexpr size_t kMaxBytes = size_t{64} << 10;
  std::vector<std::string> commands;
  size_t bytes = 0;
  for (const Outgoing& wanted : input) {
    const RelayCommand command = CommandFor(wanted);
    commands.push_back(relay::Encode(relay::Command{
        .type = command.type, .key = command.key, .payload = command.payload}));
    bytes += command.payload.size();
  }
  if (bytes > kMaxBytes) commands.clear();
  return commands;
}

}  // namespace

void UsePermissionsOf(const TaskState& state, LaunchOptions* options) {
  // EditMode::kNative may stand beside settings of the request.
  if (state.edit_mode && state.edit_mode != options->edit_mode) {
    UseEditMode(*state.edit_mode, options);
  }
}

LaunchOptions NextOptions(const notes::Request& request,
                          const TaskState& state) {
  LaunchOptions options = request.options;
  options.model = state.asked_model;
  UsePermissionsOf(state, &options);
  options.images.clear();
  if (!options.wire) options.wire = state.fallback_wire;
  return options;
}

absl::Status Launcher::CheckTime(const Replay& replay, const Backend& backend,
                                 const Cli& cli) const {
  const auto request = NextLaunch(replay, backend);
  if (!request.ok()) return absl::OkStatus();  // Start() reports it.
  const auto launch = backend.BuildLaunch(*request, cli);
  if (!launch.ok() || !launch->resume_in_later_minute) return absl::OkStatus();
  const TaskState& state = replay.state();
  // A session that was begun elsewhere is older than the task.
  const std::optional<absl::Time> began =
      state.session_began ? state.session_began : state.created;
  if (!began || MinuteOf(*began) < MinuteOf(tools_->clock->Now())) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat(
      backend.display_name,
      " damages a session that is loaded in the minute in which it began: the "
      "turn waits for the next minute"));
}

absl::Status Launcher::Start(const Replay& replay, const Backend& backend,
                             const Cli& cli, const Environment& environment,
                             relay::LogWriter& log) {
  ASSIGN_OR_RETURN(const LaunchRequest request, NextLaunch(replay, backend));
  ASSIGN_OR_RETURN(Launch launch, backend.BuildLaunch(request, cli));
  if (request.guarded) {
    if (replay.request()->require_policy) {
      RETURN_IF_ERROR(CheckPolicyHolds(backend, request.options));
    }
    std::string notice = PolicyNotice(backend, request.options);
    if (!notice.empty()) launch.notices.push_back(std::move(notice));
  }
  wire_ = launch.wire;
  const TaskState& state = replay.state();
  const int generation = state.generation + 1;
  const bool keeps_session = !request.resume_session.empty() &&
                             !request.fork_session &&
                             backend.resume_keeps_session(cli);
  const notes::Spawned spawned = {
      .generation = generation,
      .turn = state.turns - state.turns_waiting + 1,
      .argv = launch.argv,
      .cwd = request.cwd,
      .version = cli.version,
      .stdin_mode = kStdinNames[static_cast<int>(launch.stdin_mode)],
      .expected_session = keeps_session ? request.resume_session : "",
      .notices = launch.notices,
      .wire = launch.wire,
      .setup_json = launch.setup_json,
      .fallback = launch.fallback};
  relay::RelaySpec spec = {
      .argv = launch.argv,
      .env = EnvironmentOf(environment, launch),
      .cwd = request.cwd,
      .stdin_mode = launch.stdin_mode == Launch::Stdin::kNull
                        ? relay::StdinMode::kNull
                        : relay::StdinMode::kPipe,
      .spawned_note = notes::ToJson(spawned),
      .spawned_key = absl::StrCat("spawn-", generation),
      .max_log_bytes = tools_->max_log_bytes,
      .grace = tools_->grace};
  if (spec.stdin_mode == relay::StdinMode::kPipe) {
    spec.first_commands = FirstCommands(replay.FirstInput(spawned));
  }
  tools_->Step();
  if (HandOver(spec, log)) return absl::OkStatus();
  start_relay_.Start(&tools_->executor,
                     [program = tools_->relay_program, spec = std::move(spec),
                      log = std::move(log), dir = CopyOf(folder_->fd)]() mutable
                     -> absl::StatusOr<relay::StartingRelay> {
                       RETURN_IF_ERROR(dir.status());
                       return relay::StartRelay(program, spec, std::move(log),
                                                dir->get());
                     });
  return absl::OkStatus();
}

bool Launcher::HandOver(const relay::RelaySpec& spec, relay::LogWriter& log) {
  if (!tools_->take_spare || !std::exchange(use_spare_, true)) return false;
  std::optional<relay::SpareRelay> spare = tools_->take_spare();
  if (!spare) return false;
  auto starting = spare->HandOver(spec, log, folder_->fd.get());
  if (starting.ok()) OnStarting(*std::move(starting));
  return starting.ok();
}

void Launcher::OnStarting(relay::StartingRelay relay) {
  relay_ = std::move(relay);
  give_up_ = tools_->clock->Awake() + relay::kStartPatience;
  spare_due_ = tools_->clock->Awake() + relay::kSparePatience;
  ++starts_;
}

absl::Status Launcher::Advance() {
  if (auto started = start_relay_.Take()) {
    RETURN_IF_ERROR(started->status());
    OnStarting(**std::move(started));
  }
  if (!relay_.ready.ok()) return absl::OkStatus();
  if (relay_.spare.ok() && tools_->clock->Awake() >= spare_due_ &&
      !relay::SpareTook(&relay_)) {
    relay::EndRelay(relay_);
    relay_ = {};
    use_spare_ = false;
    return absl::AbortedError("the spare relay did not take its task");
  }
  pollfd fd = {.fd = relay_.ready.get(), .events = POLLIN};
  if (poll(&fd, 1, 0) <= 0 && tools_->clock->Awake() < give_up_) {
    return absl::OkStatus();
  }
  const absl::Status serves = relay::RelayStarted(relay_, absl::ZeroDuration());
  relay_ = {};
  return serves;
}

}  // namespace troika
