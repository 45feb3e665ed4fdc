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
#include "task/inputs.h"
#include "task/runner.h"

namespace troika {
namespace {

// A longer line takes a frame of its own: the note holds the prompt, too.
constexpr size_t kMaxLineWithNote = size_t{1} << 20;

}  // namespace

bool Runner::WantsAnotherProcess(const TurnRequest& turn) const {
  if (!has_process()) return false;
  if (!CapabilitiesNow().follow_up) return false;
  return (WantsAnotherModel(turn) && !CapabilitiesNow().set_model) ||
         (turn.edit_mode && turn.edit_mode != state().edit_mode);
}

bool Runner::NeedsProcess(const TurnRequest& turn) const {
  if (backend_ == nullptr || IsBusy()) return false;
  return !state().process_alive || state().input_closed ||
         !CapabilitiesNow().follow_up || WantsAnotherProcess(turn);
}

Capabilities Runner::CapabilitiesNow() const {
  if (state().process_alive) return follower_->replay().capabilities();
  // A process that is on its way has one wire already.
  const Cli cli = NextCli();
  if (launcher_.starting()) {
    return backend_->wire_capabilities(cli, launcher_.wire());
  }
  return NextCapabilities(cli, state().converses);
}

std::optional<Wire> Runner::NextWire(const Cli& cli, LaunchOptions options,
                                     bool converses) const {
  const auto launch =
      backend_->BuildLaunch({.options = std::move(options),
                             .cwd = request().cwd,
                             .converses = converses,
                             .guarded = request().policy_restricts},
                            cli);
  if (!launch.ok()) return std::nullopt;
  return launch->wire;
}

Capabilities Runner::NextCapabilities(const Cli& cli, bool converses) const {
  const std::optional<Wire> wire =
      NextWire(cli, NextOptions(request(), state()), converses);
  return wire ? backend_->wire_capabilities(cli, *wire)
              : backend_->capabilities(cli);
}

ImageForm Runner::ImageFormOf(const TurnRequest& turn) const {
  std::optional<Wire> wire;
  if (has_process() && !turn.edit_mode) {
    wire = state().process_alive ? state().wire : launcher_.wire();
  } else {
    LaunchOptions options = NextOptions(request(), state());
    if (turn.edit_mode) UseEditMode(*turn.edit_mode, &options);
    wire = NextWire(NextCli(), std::move(options),
                    state().converses || turn.converses);
  }
  return wire && backend_->sends_images_inline(*wire) ? ImageForm::kData
                                                      : ImageForm::kPath;
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

absl::Status Runner::CheckWritable() const {
  if (state().imported_from.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "task ", folder_.id, " is a copy of session ", state().session_id,
      " and takes no input: `troika resume ", folder_.id,
      "` continues the session itself, in a new task"));
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

bool Runner::IsBusy() const {
  const TaskState& now = state();
  // A process may have ended a turn before its relay reports that it serves.
  const bool starting = launcher_.starting() && !now.process_alive;
  return now.turn_open || now.turns_waiting > 0 || starting ||
         queue_.HasTurns() || appender_.HasTurns();
}

bool Runner::HasWork() const {
  const auto& inputs = state().inputs;
  return IsBusy() ||
         std::any_of(inputs.begin(), inputs.end(),
                     [](const TaskInput& input) { return input.waits(); });
}

bool Runner::HasTurnsForNextProcess() const {
  if (appender_.HasTurns()) return true;
  if (!state().process_alive) return false;
  const bool takes = CapabilitiesNow().follow_up && !state().input_closed;
  return state().turns_waiting > 0 || (queue_.HasTurns() && !takes);
}

// A process that is about to start gets all turns that wait for it.
bool Runner::CanSteer() const { return CapabilitiesNow().steer; }

bool Runner::MovesToSteer(const TurnRequest& turn) const {
  // A session that the CLI does not keep would be lost with the process.
  return turn.mode == InputMode::kSteer && turn.may_interrupt &&
         !request().options.ephemeral && IsBusy() && state().process_alive &&
         !state().session_id.empty() && !CanSteer() &&
         NextCapabilities(NextCli(), /*converses=*/true).steer;
}

absl::StatusOr<Runner::Way> Runner::WayOf(const TurnRequest& turn) const {
  if (AsksNow()) return Way::kQueue;
  const bool wants_queue = turn.mode == InputMode::kQueue;
  if (!IsBusy()) {
    // What waits already goes first, unless it is held.
    const bool goes_on = NextInput(state()) != nullptr;
    const auto& inputs = state().inputs;
    const bool any_wait =
        std::any_of(inputs.begin(), inputs.end(),
                    [](const TaskInput& input) { return input.waits(); });
    const bool waits =
        wants_queue ? any_wait : goes_on && turn.mode == InputMode::kAuto;
    return waits ? Way::kQueue : Way::kSendNow;
  }
  if (wants_queue || turn.mode == InputMode::kInterrupt) return Way::kQueue;
  // A turn that is being ended takes nothing more.
  const bool ends =
      state().process_alive && state().ending.kind != Ending::Kind::kNone;
  if (ends && turn.mode == InputMode::kAuto) return Way::kQueue;
  if (!CanSteer()) {
    if (turn.mode == InputMode::kAuto) return Way::kQueue;
    return absl::FailedPreconditionError(absl::StrCat(
        NameAndVersion(backend_->display_name, LastCli()),
        " takes no input while a turn runs: use --queue to have it sent at the "
        "turn's end, or --interrupt to end the turn for it (mode in the API)"));
  }
  if (has_process() && (WantsAnotherModel(turn) || WantsAnotherProcess(turn))) {
    return absl::FailedPreconditionError(
        "model and edit mode can't change while a turn runs: wait for its end, "
        "or interrupt it first");
  }
  return Way::kSendNow;
}

absl::StatusOr<std::vector<TurnAsked::Image>> Runner::ImagesOf(
    const TurnRequest& turn) const {
  if (turn.read_images) return *turn.read_images;
  if (turn.images.empty()) return std::vector<TurnAsked::Image>();
  return ReadImages(ImagePaths(turn), ImageFormOf(turn));
}

bool Runner::KnowsKey(absl::string_view request_key, std::string* id) const {
  if (request_key.empty()) return false;
  const auto set = [&](absl::string_view known) {
    if (id != nullptr) *id = std::string(known);
    return true;
  };
  for (const TaskInput& input : state().inputs) {
    if (input.request_key == request_key) return set(input.receipt.id);
  }
  const auto asked = asked_input_.ids.find(request_key);
  if (asked != asked_input_.ids.end()) return set(asked->second);
  return request_key == state().last_request_key && set("");
}

std::vector<std::string> Runner::ImagePaths(const TurnRequest& turn) const {
  std::vector<std::string> paths;
  for (const std::string& path : turn.images) {
    paths.push_back(PathFrom(request().cwd, path));
  }
  return paths;
}

std::optional<Outgoing> Runner::LineWith(const notes::Turn& turn) const {
  // Whatever was asked for before goes first, and may change the line.
  const bool all_read =
      queue_.empty() && state().last_record >= acknowledged_record_;
  if (!all_read || state().turn_open) return std::nullopt;
  std::optional<Outgoing> line = follower_->replay().PromptLine(turn);
  if (line && line->bytes.size() > kMaxLineWithNote) return std::nullopt;
  return line;
}

absl::Status Runner::AppendTurn(notes::Turn note, const TurnRequest& turn) {
  note.turn = std::max(state().turns, asked_turn_.number) + 1;
  const int number = note.turn;
  ASSIGN_OR_RETURN(RelayCommand command, NoteCommand(note, TurnKey(number)));
  if (WantsAnotherProcess(turn)) {
    appender_.Add(std::move(command));
    RETURN_IF_ERROR(CloseInput());
  } else {
    if (auto line = LineWith(note)) {
      command.line_key = std::move(line->key);
      command.line = std::move(line->bytes);
    }
    RETURN_IF_ERROR(Append(std::move(command)));
  }
  asked_turn_ = {.number = number, .request_key = turn.request_key};
  return absl::OkStatus();
}

absl::Status Runner::Input(const TurnRequest& given, std::string* id) {
  RETURN_IF_ERROR(CheckReady());
  if (KnowsKey(given.request_key, id)) return absl::OkStatus();
  TurnRequest turn = given;
  turn.converses |= turn.mode == InputMode::kSteer;
  if (MovesToSteer(turn)) turn.mode = InputMode::kInterrupt;
  RETURN_IF_ERROR(CheckDriver());
  RETURN_IF_ERROR(CheckWritable());
  if (state().status == TaskStatus::kCancelled) {
    return absl::FailedPreconditionError(
        absl::StrCat("task ", folder_.id, " was cancelled: start a new one"));
  }
  // The question comes first, so that the task never looks ended.
  if (!IsBusy()) RETURN_IF_ERROR(BudgetHoldsTurn().status());
  ASSIGN_OR_RETURN(const Way way, WayOf(turn));
  const int number = std::max(state().input_count, asked_input_.number) + 1;
  if (way == Way::kQueue) {
    RETURN_IF_ERROR(QueueInput(turn, InputId(number)));
  } else {
    RETURN_IF_ERROR(CheckWorkLeft(turn));
    RETURN_IF_ERROR(CheckPrompt(turn.prompt));
    RETURN_IF_ERROR(CheckNextProcess(turn));
    ASSIGN_OR_RETURN(auto images, ImagesOf(turn));
    RETURN_IF_ERROR(AppendTurn({.prompt = turn.prompt,
                                .images = std::move(images),
                                .by = turn.by,
                                .request_key = turn.request_key,
                                .input = InputId(number),
                                .model = turn.model,
                                .edit_mode = turn.edit_mode,
                                .timeouts = turn.timeouts,
                                .converses = turn.converses,
                                .budget = turn.budget},
                               turn));
  }
  asked_input_.number = number;
  if (!turn.request_key.empty()) {
    // The state remembers those that are in the log.
    if (asked_input_.ids.size() > kMaxQueuedInputs) asked_input_.ids.clear();
    asked_input_.ids[turn.request_key] = InputId(number);
  }
  if (id != nullptr) *id = InputId(number);
  return absl::OkStatus();
}

}  // namespace troika
