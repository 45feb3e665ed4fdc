#include "task/runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agent/launch/flags.h"
#include "agent/registry.h"
#include "base/poll_edge.h"
#include "base/status_macros.h"
#include "task/answer.h"
#include "task/budget.h"
#include "task/inputs.h"
#include "task/make.h"

namespace troika {
namespace {

// Time for a harness that was told to end its turn.
constexpr absl::Duration kInterruptPatience = absl::Seconds(10);
// By then a disk may have room again, or the process descriptors.
constexpr absl::Duration kTryAgain = absl::Seconds(1);

}  // namespace

Runner::Runner(TaskFolder folder, absl::StatusOr<Environment> environment,
               RunnerTools tools)
    : folder_(std::move(folder)),
      next_{.environment = std::move(environment)},
      tools_(std::move(tools)),
      appender_(&folder_, &tools_),
      launcher_(&folder_, &tools_) {}

absl::StatusOr<std::unique_ptr<Runner>> Runner::Open(TaskFolder folder,
                                                     RunnerTools tools) {
  // A task that runs can be followed without its environment.
  auto environment = ReadEnvironment(folder);
  std::unique_ptr<Runner> runner(
      new Runner(std::move(folder), std::move(environment), std::move(tools)));
  RETURN_IF_ERROR(runner->OpenFollower());
  return runner;
}

absl::StatusOr<std::unique_ptr<Runner>> Runner::Open(MadeTask made,
                                                     RunnerTools tools) {
  std::unique_ptr<Runner> runner(new Runner(
      std::move(made.folder), std::move(made.environment), std::move(tools)));
  RETURN_IF_ERROR(runner->OpenFollower());
  runner->appender_.GiveLog(std::move(made.log));
  runner->Start(std::move(made.cli));
  return runner;
}

absl::Status Runner::OpenFollower() {
  ASSIGN_OR_RETURN(
      Follower follower,
      Follower::Open(&folder_, {.clock = tools_.clock,
                                .on_record = [this] { tools_.Step(); },
                                .max_read = tools_.max_read,
                                .executor = &tools_.executor}));
  follower_.emplace(std::move(follower));
  return absl::OkStatus();
}

absl::Status Runner::FindBackend() {
  if (backend_ != nullptr) return absl::OkStatus();
  const notes::Request* request = asked();
  if (request == nullptr) {
    return absl::DataLossError(
        absl::StrCat("task ", folder_.id, ": its log has no request"));
  }
  ASSIGN_OR_RETURN(const Backend* backend, BackendById(request->harness));
  RETURN_IF_ERROR(request->options_error);
  backend_ = backend;
  return absl::OkStatus();
}

absl::Status Runner::Advance(MessageSink sink) {
  next_.waits_for_start = false;
  RETURN_IF_ERROR(FinishAppend());
  RETURN_IF_ERROR(FinishLaunch());
  appender_.set_log_read();
  RETURN_IF_ERROR(follower_->Advance(sink));
  if (follower_->connected() && tools_.on_read) tools_.on_read();
  for (const relay::Reply& answer : follower_->TakeAnswers()) {
    queue_.OnAnswer(answer, tools_.clock->Awake());
    acknowledged_record_ = std::max(acknowledged_record_, answer.record);
  }
  if (follower_->behind()) return absl::OkStatus();
  if (!launcher_.starting()) follower_->ForgetExpected();
  RETURN_IF_ERROR(FindBackend());
  // The follower may need the log's lock to say that the process is lost.
  if (follower_->connected() || state().process_alive) appender_.ReleaseLog();
  if (follower_->connected()) {
    retry_ = {};
    Watch();
    RETURN_IF_ERROR(CheckBudgets());
    RETURN_IF_ERROR(SendNextInput());
    SendQueue();
    return absl::OkStatus();
  }
  queue_.OnDisconnected();
  if (has_process()) return absl::OkStatus();
  watchdog_.ForgetTurnEnd();
  // What Troika asks still waits.
  std::erase_if(answered_, [&](const auto& answer) {
    return !state().approvals.contains(answer.first);
  });
  told_reasons_.clear();
  judging_.done.clear();
  judging_.left.clear();
  acknowledged_record_ = 0;  // The log is read up to the process's end.
  for (RelayCommand& note : queue_.Reset()) appender_.Add(std::move(note));
  if (blocked() || (retry_.at && tools_.clock->Awake() < *retry_.at)) {
    return absl::OkStatus();
  }
  retry_.at.reset();
  if (!appender_.empty()) return AppendPending();
  if (state().turns_waiting > 0) {
    ASSIGN_OR_RETURN(const bool held, BudgetHoldsTurn());
    return held ? absl::OkStatus() : StartProcess();
  }
  RETURN_IF_ERROR(CheckBudgets());
  RETURN_IF_ERROR(SendNextInput());
  if (!appender_.empty() || blocked()) return absl::OkStatus();
  next_.cli.reset();
  appender_.ReleaseLog();  // Nobody needs its lock any more.
  return absl::OkStatus();
}

std::vector<pollfd> Runner::PollFds() const {
  std::vector<pollfd> fds = {follower_->PollFd()};
  const UniqueFd& ready = launcher_.ready();
  if (ready.ok()) fds.push_back({.fd = ready.get(), .events = POLLIN});
  if (follower_->leased_fd() >= 0) {
    fds.push_back({.fd = follower_->leased_fd(), .events = POLLIN | kPollEdge});
  }
  return fds;
}

absl::Time Runner::wake_at() const {
  absl::Time at = std::min(
      {next_.waits_for_start ? absl::InfiniteFuture() : follower_->wake_at(),
       watchdog_.wake_at(state(), follower_->relay_clock()), queue_.wake_at(),
       launcher_.wake_at()});
  if (!state().process_alive && !blocked()) {
    if (retry_.at) {
      at = std::min(at, *retry_.at);
    } else if (!appender_.empty()) {
      at = std::min(at, appender_.wake_at());
    }
  }
  return appender_.log_unread() ? std::min(at, tools_.clock->Awake()) : at;
}

bool Runner::at_rest() const {
  return follower_->at_rest() && !launcher_.starting() && !blocked() &&
         !queue_.HasLasting() && appender_.empty() && !appender_.log_unread() &&
         NextInput(state()) == nullptr && !OwesGoOn(state());
}

bool Runner::settled() const {
  return queue_.empty() && appender_.empty() && !launcher_.starting();
}

absl::Status Runner::AppendNote(const notes::Note& note, std::string key) {
  ASSIGN_OR_RETURN(RelayCommand command, NoteCommand(note, std::move(key)));
  return Append(std::move(command));
}

absl::Status Runner::Append(RelayCommand command) {
  if (follower_->connected() || has_process()) {
    Send(std::move(command));
    return absl::OkStatus();
  }
  appender_.Add(std::move(command));
  return AppendPending();
}

absl::Status Runner::AppendPending() {
  if (blocked()) return absl::OkStatus();
  auto log = appender_.TakeLog(follower_->offset());
  if (!log.ok()) return TryAgainLater(log.status());
  if (!*log) return absl::OkStatus();
  appender_.Append(**std::move(log), state());
  return FinishAppend();
}

absl::Status Runner::FinishAppend() {
  const auto appended = appender_.TakeOutcome();
  if (!appended) return absl::OkStatus();
  if (!appended->flushed.ok()) return TryAgainLater(appended->flushed);
  retry_.trouble = std::string(appended->synced.message());
  return absl::OkStatus();
}

void Runner::Start(absl::StatusOr<Cli> cli) {
  next_.cli = std::move(cli);
  next_.waits_for_start = false;
}

absl::Status Runner::StartProcess() {
  // While the owner lets us wait, the log's lock is left to others.
  next_.waits_for_start = !next_.cli;
  if (next_.waits_for_start) return absl::OkStatus();
  if (next_.cli->ok()) {
    const absl::Status time =
        launcher_.CheckTime(follower_->replay(), *backend_, **next_.cli);
    if (!time.ok()) return TryAgainLater(time);
  }
  auto log = appender_.TakeLog(follower_->offset());
  if (!log.ok()) return TryAgainLater(log.status());
  if (!*log) return absl::OkStatus();
  absl::Status started = next_.environment.status();
  started.Update(next_.cli->status());
  if (started.ok()) {
    started = launcher_.Start(follower_->replay(), *backend_, **next_.cli,
                              ForAgents(*next_.environment), **log);
  }
  if (started.ok()) {
    if (auto driver = launcher_.TakeDriver()) {
      follower_->ExpectRelay(*std::move(driver));
    }
    return FinishLaunch();
  }
  next_.cli.reset();
  appender_.AddStartFailed(state().generation + 1, started.message());
  appender_.Append(**std::move(log), state());
  return FinishAppend();
}

absl::Status Runner::FinishLaunch() {
  if (!launcher_.starting()) return absl::OkStatus();
  const absl::Status launched = launcher_.Advance();
  // The CLI is kept for another try, at once if no relay has begun.
  if (absl::IsResourceExhausted(launched)) return TryAgainLater(launched);
  if (absl::IsAborted(launched)) return absl::OkStatus();
  if (!launcher_.starting()) next_.cli.reset();
  if (launched.ok()) return absl::OkStatus();
  appender_.AddStartFailed(state().generation + 1, launched.message());
  return AppendPending();
}

absl::Status Runner::TryAgainLater(const absl::Status& error) {
  // Another try would find the same.
  if (absl::IsDataLoss(error) || absl::IsNotFound(error)) return error;
  retry_ = {.at = tools_.clock->Awake() + kTryAgain,
            .trouble = absl::StrCat(error.message(),
                                    "; it is tried again every second")};
  return absl::OkStatus();
}

void Runner::Send(RelayCommand command) {
  queue_.Add(std::move(command));
  if (follower_->connected()) SendQueue();
}

void Runner::SendStop(std::string key, const notes::Note& note,
                      std::optional<absl::Duration> grace) {
  Send({.type = relay::FrameType::kStop,
        .key = std::move(key),
        .payload = notes::ToJson(note),
        .grace = grace.value_or(tools_.grace)});
}

void Runner::SendQueue() {
  if (role() != relay::Role::kDriver) return;
  queue_.AddWanted(follower_->replay().outbox());
  queue_.Send(tools_.clock->Awake(), [&](const RelayCommand& command) {
    tools_.Step();
    follower_->Send({.type = command.type,
                     .key = command.key,
                     .payload = command.payload,
                     .line_key = command.line_key,
                     .line = command.line,
                     .grace = command.grace});
  });
}

void Runner::Watch() {
  const absl::Time now = tools_.clock->Awake();
  if (role() == relay::Role::kWatcher) {
    // Whoever drives the process keeps its deadlines.
    watchdog_.Skip(now);
    watchdog_.ForgetTurnEnd();
    return;
  }
  const int generation = state().generation;
  if (state().session_mismatch && state().ending.kind == Ending::Kind::kNone) {
    SendStop(absl::StrCat("mismatch-", generation),
             notes::Stop{.by = "troika",
                         .reason = "the agent is in another session than it "
                                   "was asked for"});
  }
  const int64_t output_limit = request().output_limit_bytes;
  if (output_limit > 0 && state().output_bytes > output_limit &&
      state().ending.kind == Ending::Kind::kNone) {
    SendStop(absl::StrCat("output-", generation),
             notes::Stop{.by = "troika",
                         .reason = absl::StrCat(
                             "the agent has printed more than the limit of ",
                             output_limit, " bytes (output_limit_bytes)")});
  }
  const Ending& ending = state().ending;
  if (ending.kind == Ending::Kind::kInterrupt && !ending.ends_process &&
      state().turn_open && !watchdog_.expects_turn_end()) {
    // Asked for by a runner before us.
    watchdog_.ExpectTurnEnd(now + kInterruptPatience);
  }
  if (watchdog_.TurnEndIsOverdue(state(), now)) {
    Stop("troika", "the agent did not end its turn").IgnoreError();
  }
  TellReason();
  ConsultRules();
  const auto alarm = watchdog_.Check(state(), follower_->relay_clock(), now);
  if (!alarm) return;
  if (alarm->kind == Alarm::Kind::kBudget) {
    sent_budget_.time_is_due = true;
    return;
  }
  if (alarm->kind == Alarm::Kind::kApproval) {
    // An answer that is on its way to the log was first.
    return Respond(TimedOut(state().approvals.at(alarm->approval).request,
                            alarm->timeout))
        .IgnoreError();
  }
  if (alarm->kind == Alarm::Kind::kCloseIdle) {
    return Send({.type = relay::FrameType::kCloseStdin,
                 .key = absl::StrCat("close-", generation)});
  }
  const std::string name = DeadlineName(alarm->kind, state());
  // A key has no spaces.
  SendStop(absl::StrCat("deadline-", generation, "-",
                        absl::StrReplaceAll(name, {{" ", "-"}})),
           notes::Deadline{
               .which = name, .after = alarm->timeout, .tool = alarm->tool});
}

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

absl::Status Runner::Respond(const AnswerGiven& given) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  const absl::Status answer = CheckAnswer(state(), given);
  const Capabilities& can = follower_->replay().capabilities();
  if (absl::IsNotFound(answer) && !can.approvals && !can.questions) {
    return absl::FailedPreconditionError(absl::StrCat(
        NameAndVersion(backend_->display_name, LastCli()),
        " asks nothing, so nothing waits for an answer; what it may do is "
        "decided by the edit mode of its turns"));
  }
  RETURN_IF_ERROR(answer);
  const auto approval = state().approvals.find(given.id);
  const EventId asked = approval != state().approvals.end()
                            ? approval->second.asked
                            : state().questions.at(given.id).asked;
  // The log may not tell yet what we answered. An agent may use an id again.
  const auto answered = answered_.find(given.id);
  if (answered != answered_.end() && answered->second.asked == asked) {
    const AnswerGiven& winner = answered->second.given;
    const auto question = state().questions.find(given.id);
    return AnsweredError(
        question == state().questions.end()
            ? SettledOf(winner)
            : SettledOf(Accepted(question->second.request, winner)));
  }
  // The relay takes each key once, so the log never has two answers, even if
  // they come from two runners.
  ASSIGN_OR_RETURN(
      RelayCommand command,
      NoteCommand(given, absl::StrCat("answer-", EventIdText(asked))));
  // What Troika asks waits for its answer whether the process lives or not.
  command.outlives_process =
      approval != state().approvals.end() &&
      approval->second.request.kind == Approval::Kind::kBudget;
  RETURN_IF_ERROR(Append(std::move(command)));
  answered_[given.id] = {.asked = asked, .given = given};
  return absl::OkStatus();
}

void Runner::TellReason() {
  const OwedReason* const owed =
      NextReason(state(), follower_->replay().capabilities());
  if (owed == nullptr || AsksNow() || !told_reasons_.insert(owed->key).second)
    return;
  const int number = std::max(state().turns, asked_turn_.number) + 1;
  const absl::Status sent = AppendNote(notes::Turn{.turn = number,
                                                   .prompt = owed->prompt,
                                                   .by = "denial",
                                                   .request_key = owed->key},
                                       owed->key);
  if (sent.ok()) asked_turn_.number = number;
}

absl::Status Runner::Interrupt(absl::string_view by, absl::string_view reason) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  if (AsksForBudget(state()) && !(state().turn_open && has_process())) {
    return DenyBudget(by, reason);
  }
  const notes::Cancelled cancelled = {.by = std::string(by),
                                      .reason = std::string(reason)};
  if (!has_process()) {
    if (state().turns_waiting == 0 && !appender_.HasTurns()) {
      return absl::FailedPreconditionError(
          absl::StrCat("task ", folder_.id, " is not running"));
    }
    return AppendNote(cancelled, NextKey("cancel"));
  }
  if (HasTurnsForNextProcess()) {
    // They wait for the end of this process; so does their end.
    ASSIGN_OR_RETURN(RelayCommand command,
                     NoteCommand(cancelled, NextKey("cancel")));
    appender_.Add(std::move(command));
    if (!state().turn_open || state().turns_waiting > 0) {
      return absl::OkStatus();
    }
  }
  if (!HasTurnToEnd()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no turn of task ", folder_.id,
                     " runs: its agent waits for input; `troika stop` ends "
                     "the agent"));
  }
  const notes::Interrupt note = {.by = std::string(by),
                                 .reason = std::string(reason)};
  return SendInterrupt(note, NextKey("interrupt"));
}

// A prompt that is on its way to the agent counts, and so does what works in
// the background.
bool Runner::HasTurnToEnd() const {
  return state().status != TaskStatus::kIdle || state().turn_open ||
         state().turns_waiting > 0 || !state().subagents.empty() ||
         queue_.HasTurns() || appender_.HasTurns();
}

absl::Status Runner::SendInterrupt(const notes::Interrupt& note,
                                   std::string key) {
  if (CapabilitiesNow().interrupt && !state().input_closed) {
    watchdog_.ExpectTurnEnd(tools_.clock->Awake() + kInterruptPatience);
    return AppendNote(note, std::move(key));
  }
  SendStop(std::move(key), note);
  return absl::OkStatus();
}

absl::Status Runner::Stop(absl::string_view by, absl::string_view reason,
                          std::optional<absl::Duration> grace) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  if (!has_process()) return Interrupt(by, reason);
  // Ending the task is an answer; somebody else's may have been first.
  if (AsksForBudget(state())) DenyBudget(by, reason).IgnoreError();
  SendStop(NextKey("stop"),
           notes::Stop{.by = std::string(by), .reason = std::string(reason)},
           grace);
  return absl::OkStatus();
}

absl::Status Runner::NoteDocument(const notes::DocumentWritten& written) {
  RETURN_IF_ERROR(CheckReady());
  RETURN_IF_ERROR(CheckDriver());
  return AppendNote(written, "document");
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
