// Which turns a runner takes, and what becomes of them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/discovery/discovery.h"
#include "agent/launch/flags.h"
#include "base/status_macros.h"
#include "task/runner.h"

namespace troika {

bool Runner::WantsAnotherProcess(const TurnRequest& turn) const {
  if (!has_process()) return false;
  if (!CapabilitiesNow().follow_up) return false;
  return (WantsAnotherModel(turn) && !CapabilitiesNow().set_model) ||
         (turn.edit_mode && turn.edit_mode != state().edit_mode);
}

Capabilities Runner::CapabilitiesNow() const {
  if (state().process_alive) return follower_->replay().capabilities();
  // A process that is on its way has one wire already.
  const Cli cli = NextCli();
  if (launcher_.starting()) {
    return backend_->wire_capabilities(cli, launcher_.wire());
  }
  const auto launch = backend_->BuildLaunch(
      {.options = request().options, .cwd = request().cwd}, cli);
  return launch.ok() ? backend_->wire_capabilities(cli, launch->wire)
                     : backend_->capabilities(cli);
}

Cli Runner::NextCli() const {
  const auto cli = FindCli(
      backend_->cli_names,
      next_.environment.ok() ? ForAgents(*next_.environment) : Environment(),
      {.cache_path = tools_.version_cache});
  return cli.value_or(Cli());
}

absl::Status Runner::CheckNextProcess(const TurnRequest& turn) const {
  const bool takes = state().process_alive && !state().input_closed &&
                     follower_->replay().capabilities().follow_up &&
                     !WantsAnotherProcess(turn);
  const Cli cli = takes ? LastCli() : NextCli();
  const Capabilities can = backend_->capabilities(cli);
  const auto cant = [&](const Cli& who, absl::string_view what,
                        absl::string_view then) {
    return absl::FailedPreconditionError(absl::StrCat(
        CantDo(backend_->display_name, who, what, backend_->cli_names.install),
        then));
  };
  if (!turn.images.empty() && !can.images) return cant(cli, kTakeImages, "");
  if (takes || !state().started) return absl::OkStatus();
  if (!can.resume) return cant(cli, kGoOnWithSession, "");
  // An update brings nothing back: nobody knows which session it was.
  if (state().session_id.empty() &&
      !follower_->replay().capabilities().resume) {
    return cant(LastCli(), kGoOnWithSession, ", and start a new task");
  }
  return absl::OkStatus();
}

absl::Status Runner::CheckWorkLeft(const TurnRequest& turn) const {
  if (WorkLeft(state(), turn.timeouts) > absl::ZeroDuration()) {
    return absl::OkStatus();
  }
  const absl::Duration timeout =
      turn.timeouts.task.value_or(*WithDefaults(state().timeouts).task);
  return absl::FailedPreconditionError(absl::StrCat(
      "task ", folder_.id, " has worked for ",
      absl::FormatDuration(absl::Trunc(state().worked, absl::Seconds(1))),
      ", and its task timeout is ", absl::FormatDuration(timeout),
      ": give it a longer one with this turn, by --task-timeout (in the API "
      "timeouts.task), or start a new task"));
}

absl::Status Runner::CheckInput(const TurnRequest& turn) {
  const TaskState& now = state();
  RETURN_IF_ERROR(CheckDriver());
  if (now.status == TaskStatus::kCancelled) {
    return absl::FailedPreconditionError(
        absl::StrCat("task ", folder_.id, " was cancelled: start a new one"));
  }
  const bool busy = now.turn_open || now.turns_waiting > 0 ||
                    launcher_.starting() || queue_.HasTurns() ||
                    appender_.HasTurns();
  if (busy && !CapabilitiesNow().steer) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameAndVersion(backend_->display_name, LastCli()),
                     " takes no input while a turn runs: wait for "
                     "its end, or interrupt it first"));
  }
  if (busy && has_process() &&
      (WantsAnotherModel(turn) || WantsAnotherProcess(turn))) {
    return absl::FailedPreconditionError(
        "model and edit mode can't change while a turn runs: wait for its end, "
        "or interrupt it first");
  }
  RETURN_IF_ERROR(CheckWorkLeft(turn));
  RETURN_IF_ERROR(CheckPrompt(turn.prompt));
  return CheckNextProcess(turn);
}

std::vector<std::string> Runner::ImagePaths(const TurnRequest& turn) const {
  std::vector<std::string> paths;
  for (const std::string& path : turn.images) {
    paths.push_back(PathFrom(request().cwd, path));
  }
  return paths;
}

absl::Status Runner::Input(const TurnRequest& turn) {
  RETURN_IF_ERROR(CheckReady());
  if (!turn.request_key.empty() &&
      (turn.request_key == state().last_request_key ||
       turn.request_key == asked_turn_.request_key)) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckInput(turn));
  std::vector<TurnAsked::Image> images;
  if (turn.read_images) {
    images = *turn.read_images;
  } else if (!turn.images.empty()) {
    ASSIGN_OR_RETURN(images, ReadImages(ImagePaths(turn), *backend_));
  }
  const int number = std::max(state().turns, asked_turn_.number) + 1;
  const notes::Turn note = {.turn = number,
                            .prompt = turn.prompt,
                            .images = std::move(images),
                            .by = turn.by,
                            .request_key = turn.request_key,
                            .model = turn.model,
                            .edit_mode = turn.edit_mode,
                            .timeouts = turn.timeouts};
  std::string key = TurnKey(number);
  if (WantsAnotherProcess(turn)) {
    ASSIGN_OR_RETURN(RelayCommand command, NoteCommand(note, std::move(key)));
    appender_.Add(std::move(command));
    RETURN_IF_ERROR(CloseInput());
  } else {
    RETURN_IF_ERROR(AppendNote(note, std::move(key)));
  }
  asked_turn_ = {.number = number, .request_key = turn.request_key};
  return absl::OkStatus();
}

}  // namespace troika
