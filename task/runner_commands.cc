// What is asked of a runner.
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "agent/discovery/discovery.h"
#include "agent/launch/flags.h"
#include "base/status_macros.h"
#include "task/make.h"
#include "task/runner.h"

namespace troika {
namespace {

constexpr absl::string_view kTurnKey = "turn-";
constexpr absl::string_view kStartFailedKey = "start-failed-";
// What a harness that was told to end its turn gets to do so.
constexpr absl::Duration kInterruptPatience = absl::Seconds(10);
// A relay holds the lock a moment longer than it takes to write its last words.
constexpr absl::Duration kLookAgain = absl::Milliseconds(5);
// A disk has room again, or the process descriptors.
constexpr absl::Duration kTryAgain = absl::Seconds(1);

// The number behind `prefix` in a key; 0 where it is another key.
int NumberOf(absl::string_view key, absl::string_view prefix) {
  int number = 0;
  if (!absl::ConsumePrefix(&key, prefix)) return 0;
  return absl::SimpleAtoi(key, &number) ? number : 0;
}

absl::StatusOr<RelayCommand> NoteCommand(const notes::Note& note,
                                         std::string key) {
  RelayCommand command = {.key = std::move(key),
                          .payload = notes::ToJson(note),
                          .is_turn = std::holds_alternative<notes::Turn>(note)};
  if (command.payload.size() <= kMaxLineBytes) return command;
  return absl::InvalidArgumentError(
      "prompt and images are over 16 MiB together: name them by path");
}

}  // namespace

absl::Status Runner::CheckReady() const {
  if (backend_ != nullptr) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "task ", folder_.id, " is still being read: try again in a moment"));
}

absl::Status Runner::CheckDriver() {
  if (role() != relay::Role::kWatcher) return absl::OkStatus();
  if (follower_->watch_reason() == relay::WatchReason::kNotAllowed) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the relay of task ", folder_.id,
        " takes no commands from this process, as an agent started it, or "
        "nobody can tell who did: use a troika that was started elsewhere"));
  }
  follower_->AskToDrive();
  return absl::FailedPreconditionError(
      absl::StrCat("another troika drives task ", folder_.id,
                   ": use that one, or end it and try again"));
}

std::string Runner::NextKey(absl::string_view kind) {
  // The record makes it unlike those of other runners, the count unlike ours.
  return absl::StrCat(kind, "-", state().last_record, "-", ++commands_);
}

absl::Status Runner::AppendNote(const notes::Note& note, std::string key) {
  ASSIGN_OR_RETURN(RelayCommand command, NoteCommand(note, std::move(key)));
  if (follower_->connected() || starts() || state().process_alive) {
    Send(std::move(command));
    return absl::OkStatus();
  }
  pending_.push_back(std::move(command));
  return AppendPending();
}

bool Runner::HasPendingTurns() const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [](const RelayCommand& c) { return c.is_turn; });
}

bool Runner::IsStale(const RelayCommand& command, int turns) const {
  // The relay took it after all.
  if (command.is_turn) return NumberOf(command.key, kTurnKey) <= turns;
  const int generation = NumberOf(command.key, kStartFailedKey);
  return generation != 0 && generation != state().generation + 1;
}

absl::StatusOr<std::optional<relay::LogWriter>> Runner::TakeLog() {
  if (!open_log_.busy()) {
    open_log_.Start(&tools_.executor, OpenLogForWriting(folder_, tools_.clock));
  }
  auto log = open_log_.Take();
  if (!log) return std::optional<relay::LogWriter>();
  // Somebody else is at it: a relay that starts or ends, or another runner. We
  // look again in a moment.
  if (absl::IsUnavailable(log->status())) {
    return std::optional<relay::LogWriter>();
  }
  if (!log->ok()) {
    RETURN_IF_ERROR(TryAgainLater(log->status()));
    return std::optional<relay::LogWriter>();
  }
  // Now nobody else can write. What was written since we read is read first.
  if ((*log)->offset() != follower_->offset()) {
    return std::optional<relay::LogWriter>();
  }
  return std::optional<relay::LogWriter>(**std::move(log));
}

absl::Status Runner::AppendPending() {
  if (blocked()) return absl::OkStatus();
  pending_at_ = tools_.clock->Awake() + kLookAgain;
  ASSIGN_OR_RETURN(std::optional<relay::LogWriter> log, TakeLog());
  if (!log) return absl::OkStatus();
  return AppendPendingTo(*std::move(log));
}

absl::Status Runner::AppendPendingTo(relay::LogWriter log) {
  int turns = state().turns;
  append_ends_.clear();
  for (const RelayCommand& command : pending_) {
    if (!IsStale(command, turns)) {
      Step();
      log.Append({.key = command.key, .payload = command.payload});
      if (command.is_turn) ++turns;
    }
    append_ends_.push_back(log.offset() + static_cast<int64_t>(log.pending()));
  }
  append_.Start(&tools_.executor, [log = std::move(log)]() mutable {
    Appended appended = {.flushed = log.Flush(), .offset = log.offset()};
    if (appended.flushed.ok()) appended.synced = log.Sync();
    return appended;
  });
  return FinishAppend();
}

absl::Status Runner::FinishAppend() {
  const std::optional<Appended> appended = append_.Take();
  if (!appended) return absl::OkStatus();
  appended_ = true;
  // What stands there as a whole is not written again.
  const auto rest = std::upper_bound(append_ends_.begin(), append_ends_.end(),
                                     appended->offset);
  pending_.erase(pending_.begin(),
                 pending_.begin() + (rest - append_ends_.begin()));
  if (!appended->flushed.ok()) return TryAgainLater(appended->flushed);
  trouble_ = std::string(appended->synced.message());
  return absl::OkStatus();
}

absl::Status Runner::TryAgainLater(const absl::Status& error) {
  // What is in the log, or that it is gone, stays so.
  if (absl::IsDataLoss(error) || absl::IsNotFound(error)) return error;
  retry_at_ = tools_.clock->Awake() + kTryAgain;
  pending_at_ = *retry_at_;
  trouble_ = absl::StrCat(error.message(), "; it is tried again every second");
  return absl::OkStatus();
}

void Runner::KeepStartFailed(absl::string_view error) {
  const int generation = state().generation + 1;
  pending_.push_back(
      {.key = absl::StrCat(kStartFailedKey, generation),
       .payload = notes::ToJson(notes::StartFailed{
           .generation = generation, .error = std::string(error)})});
}

bool Runner::WantsAnotherProcess(const TurnRequest& turn) const {
  if (!state().process_alive && !starts()) return false;
  if (!CapabilitiesNow().follow_up) return false;
  return (!turn.model.empty() && turn.model != state().asked_model) ||
         (turn.edit_mode && turn.edit_mode != state().edit_mode);
}

Cli Runner::KnownCli() const {
  const auto cli =
      tools_.find_cli
          ? FindCli(backend_->cli_names, environment_,
                    {.cache_path = tools_.version_cache})
          : FindCliOf(*backend_, environment_, tools_.version_cache);
  return cli.value_or(Cli());
}

Capabilities Runner::CapabilitiesNow() const {
  return state().process_alive ? follower_->replay().capabilities()
                               : backend_->capabilities(KnownCli());
}

absl::Status Runner::CheckNextProcess(const TurnRequest& turn) const {
  const bool takes = state().process_alive && !state().input_closed &&
                     follower_->replay().capabilities().follow_up &&
                     !WantsAnotherProcess(turn);
  const Cli cli = takes ? LastCli() : KnownCli();
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
  const bool busy = now.turn_open || now.turns_waiting > 0 || starts() ||
                    queue_.HasTurns() || HasPendingTurns();
  if (busy && !CapabilitiesNow().steer) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameAndVersion(backend_->display_name, LastCli()),
                     " takes no input while a turn runs: wait for "
                     "its end, or interrupt it first"));
  }
  if (busy && WantsAnotherProcess(turn)) {
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
       turn.request_key == asked_request_key_)) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckInput(turn));
  std::vector<TurnAsked::Image> images;
  if (turn.read_images) {
    images = *turn.read_images;
  } else if (!turn.images.empty()) {
    ASSIGN_OR_RETURN(images, ReadImages(ImagePaths(turn), *backend_));
  }
  const int number = std::max(state().turns, asked_turn_) + 1;
  const notes::Turn note = {.turn = number,
                            .prompt = turn.prompt,
                            .images = std::move(images),
                            .by = turn.by,
                            .request_key = turn.request_key,
                            .model = turn.model,
                            .edit_mode = turn.edit_mode,
                            .timeouts = turn.timeouts};
  std::string key = absl::StrCat(kTurnKey, number);
  if (WantsAnotherProcess(turn)) {
    ASSIGN_OR_RETURN(RelayCommand command, NoteCommand(note, std::move(key)));
    pending_.push_back(std::move(command));
    RETURN_IF_ERROR(CloseInput());
  } else {
    RETURN_IF_ERROR(AppendNote(note, std::move(key)));
  }
  asked_turn_ = number;
  asked_request_key_ = turn.request_key;
  return absl::OkStatus();
}

absl::Status Runner::Respond(const AnswerRequest& request) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  const absl::Status answer = CheckAnswer(state(), request);
  const Capabilities& can = follower_->replay().capabilities();
  if (absl::IsNotFound(answer) && !can.approvals && !can.questions) {
    return absl::FailedPreconditionError(absl::StrCat(
        NameAndVersion(backend_->display_name, LastCli()),
        " asks nothing, so nothing waits for an answer; what it may do is "
        "decided by the edit mode of its turns"));
  }
  RETURN_IF_ERROR(answer);
  // Others of that id are not ours to remember.
  std::erase_if(answered_, [&](const std::string& id) {
    return !state().approvals.contains(id) && !state().questions.contains(id);
  });
  // The log does not tell it yet.
  if (answered_.contains(request.id)) {
    return absl::FailedPreconditionError(
        absl::StrCat(request.id, " was answered already"));
  }
  RETURN_IF_ERROR(AppendNote(AnswerNote(request), NextKey("answer")));
  answered_.insert(request.id);
  return absl::OkStatus();
}

absl::Status Runner::Interrupt(absl::string_view by, absl::string_view reason) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  const notes::Cancelled cancelled = {.by = std::string(by),
                                      .reason = std::string(reason)};
  if (!state().process_alive && !starts()) {
    if (state().turns_waiting == 0 && !HasPendingTurns()) {
      return absl::FailedPreconditionError(
          absl::StrCat("task ", folder_.id, " is not running"));
    }
    return AppendNote(cancelled, NextKey("cancel"));
  }
  if (HasPendingTurns()) {
    // They wait for the end of this process; so does their end.
    ASSIGN_OR_RETURN(RelayCommand command,
                     NoteCommand(cancelled, NextKey("cancel")));
    pending_.push_back(std::move(command));
    if (!state().turn_open) return absl::OkStatus();
  }
  const notes::Interrupt note = {.by = std::string(by),
                                 .reason = std::string(reason)};
  if (CapabilitiesNow().interrupt && !state().input_closed) {
    interrupt_until_ = tools_.clock->Awake() + kInterruptPatience;
    return AppendNote(note, NextKey("interrupt"));
  }
  Send({.type = relay::FrameType::kStop,
        .key = NextKey("interrupt"),
        .payload = notes::ToJson(note),
        .grace = tools_.grace});
  return absl::OkStatus();
}

absl::Status Runner::Stop(absl::string_view by, absl::string_view reason,
                          std::optional<absl::Duration> grace) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  if (!state().process_alive && !starts()) return Interrupt(by, reason);
  Send({.type = relay::FrameType::kStop,
        .key = NextKey("stop"),
        .payload = notes::ToJson(
            notes::Stop{.by = std::string(by), .reason = std::string(reason)}),
        .grace = grace.value_or(tools_.grace)});
  return absl::OkStatus();
}

absl::Status Runner::CloseInput() {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  if (!state().process_alive || state().input_closed) return absl::OkStatus();
  Send({.type = relay::FrameType::kCloseStdin,
        .key = absl::StrCat("close-", state().generation)});
  return absl::OkStatus();
}

}  // namespace troika
