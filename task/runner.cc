#include "task/runner.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "agent/launch_json.h"
#include "agent/registry.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr absl::string_view kTurnKey = "turn-";
// What a harness that was told to end its turn gets to do so.
constexpr int64_t kInterruptPatience = 10000000;

}  // namespace

Runner::Runner(TaskFolder folder, RunnerTools tools)
    : folder_(std::move(folder)), tools_(std::move(tools)) {}

absl::StatusOr<std::unique_ptr<Runner>> Runner::Open(TaskFolder folder,
                                                     RunnerTools tools) {
  std::unique_ptr<Runner> runner(
      new Runner(std::move(folder), std::move(tools)));
  RETURN_IF_ERROR(runner->OpenFollower());
  auto environment = ReadEnvironment(runner->folder_);
  // A task that runs can be followed without it.
  if (environment.ok()) runner->environment_ = *std::move(environment);
  return runner;
}

absl::Status Runner::OpenFollower() {
  ASSIGN_OR_RETURN(Follower follower,
                   Follower::Open(&folder_, {.role = relay::Role::kDriver,
                                             .clock = tools_.clock,
                                             .on_record = [this] { Step(); }}));
  follower_.emplace(std::move(follower));
  return absl::OkStatus();
}

void Runner::Step() {
  if (tools_.on_step) tools_.on_step();
}

absl::Status Runner::LoadOptions() {
  if (backend_ != nullptr) return absl::OkStatus();
  const notes::Request* request = follower_->replay().request();
  if (request == nullptr) {
    return absl::DataLossError(
        absl::StrCat("task ", folder_.id, ": its log has no request"));
  }
  ASSIGN_OR_RETURN(const Backend* backend, BackendById(request->harness));
  json::Parser parser;
  ASSIGN_OR_RETURN(
      const json::Value options,
      parser.Parse(request->options_json.empty() ? "{}"
                                                 : request->options_json));
  ASSIGN_OR_RETURN(options_, LaunchOptionsFromJson(options));
  watchdog_ = Watchdog(request->timeouts);
  backend_ = backend;
  return absl::OkStatus();
}

absl::Status Runner::Advance(MessageSink sink) {
  if (ready_.ok()) RETURN_IF_ERROR(OnRelayStarted());
  RETURN_IF_ERROR(follower_->Advance(sink));
  RETURN_IF_ERROR(LoadOptions());
  for (const relay::Client::Answer& answer : follower_->TakeAnswers()) {
    queue_.OnAnswer(answer, tools_.clock->NowMicros());
  }
  if (follower_->connected()) {
    role_ = follower_->role();
    Watch();
    SendQueue();
    return absl::OkStatus();
  }
  queue_.OnDisconnected();
  if (state().process_alive || ready_.ok()) return absl::OkStatus();
  interrupt_until_ = 0;
  for (RelayCommand& turn : queue_.Reset()) turns_.push_back(std::move(turn));
  if (!turns_.empty()) return AppendTurns();
  if (state().turns_waiting > 0) return StartProcess();
  return absl::OkStatus();
}

std::vector<pollfd> Runner::PollFds() const {
  std::vector<pollfd> fds = {follower_->PollFd()};
  if (ready_.ok()) fds.push_back({.fd = ready_.get(), .events = POLLIN});
  return fds;
}

int64_t Runner::wake_at() const {
  int64_t at = follower_->wake_at();
  const auto sooner = [&](int64_t other) {
    if (other != 0 && (at == 0 || other < at)) at = other;
  };
  // One that passed has been seen to; only its end is waited for.
  const auto alarm = watchdog_.Next(state());
  if (alarm && alarm->at_micros > watched_until_) sooner(alarm->at_micros);
  sooner(queue_.wake_at());
  sooner(interrupt_until_);
  if (!turns_.empty()) sooner(tools_.clock->NowMicros());
  return at;
}

bool Runner::at_rest() const {
  return follower_->at_rest() && !ready_.ok() && !queue_.HasTurns() &&
         turns_.empty();
}

void Runner::Send(RelayCommand command) {
  queue_.Add(std::move(command));
  if (follower_->connected()) SendQueue();
}

void Runner::SendQueue() {
  queue_.AddWanted(follower_->replay().outbox());
  queue_.Send(tools_.clock->NowMicros(), [&](const RelayCommand& command) {
    Step();
    follower_->Send({.type = command.type,
                     .key = command.key,
                     .payload = command.payload,
                     .grace_ms = command.grace_ms});
  });
}

void Runner::Watch() {
  const int64_t now = tools_.clock->NowMicros();
  if (state().session_mismatch && state().ending.kind == Ending::Kind::kNone) {
    Send({.type = relay::FrameType::kStop,
          .key = absl::StrCat("mismatch-", state().generation),
          .payload = notes::ToJson(notes::Stop{
              .by = "troika",
              .reason = "the agent is in another session than it was asked "
                        "for"}),
          .grace_ms = tools_.grace_ms});
  }
  if (!state().turn_open) interrupt_until_ = 0;
  if (interrupt_until_ != 0 && now >= interrupt_until_) {
    interrupt_until_ = 0;
    Stop("troika", "the agent did not end its turn").IgnoreError();
  }
  watched_until_ = now;
  const auto alarm = watchdog_.Next(state());
  if (!alarm || now < alarm->at_micros) return;
  const absl::string_view name = DeadlineName(alarm->kind);
  if (alarm->kind == Alarm::Kind::kCloseIdle) {
    return Send({.type = relay::FrameType::kCloseStdin,
                 .key = absl::StrCat("close-", state().generation)});
  }
  Send({.type = relay::FrameType::kStop,
        .key = absl::StrCat("deadline-", state().generation, "-", name),
        .payload = notes::ToJson(notes::Deadline{.which = std::string(name),
                                                 .after_ms = alarm->after_ms}),
        .grace_ms = tools_.grace_ms});
}

absl::Status Runner::CheckDriver() const {
  if (role_ == relay::Role::kWatcher) {
    return absl::FailedPreconditionError(
        absl::StrCat("another troika drives task ", folder_.id,
                     ": use that one, or end it"));
  }
  return absl::OkStatus();
}

std::string Runner::NextKey(absl::string_view kind) {
  // The record makes it unlike those of other runners, the count unlike ours.
  return absl::StrCat(kind, "-", state().last_record, "-", ++commands_);
}

absl::Status Runner::AppendNote(const notes::Note& note, std::string key) {
  RelayCommand command = {.key = std::move(key),
                          .payload = notes::ToJson(note),
                          .is_turn = std::holds_alternative<notes::Turn>(note)};
  if (command.payload.size() > kMaxLineBytes) {
    return absl::InvalidArgumentError(
        "prompt and images are over 16 MiB together: name them by path");
  }
  if (follower_->connected() || ready_.ok()) {
    Send(std::move(command));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(relay::LogWriter log, TakeLog(folder_, tools_.clock));
  Step();
  log.Append({.key = command.key, .payload = command.payload});
  RETURN_IF_ERROR(log.Flush());
  return log.Sync();
}

absl::Status Runner::AppendTurns() {
  auto log = relay::LogWriter::Open(folder_.fd.get(), folder_.id, tools_.clock);
  // Its relay is about to leave.
  if (absl::IsUnavailable(log.status())) return absl::OkStatus();
  RETURN_IF_ERROR(log.status());
  // The relay may have taken it after all: then it is read first.
  if (log->offset() != follower_->offset()) return absl::OkStatus();
  int turn = state().turns;
  for (const RelayCommand& command : std::exchange(turns_, {})) {
    int number = 0;
    absl::string_view digits = command.key;
    if (absl::ConsumePrefix(&digits, kTurnKey) &&
        absl::SimpleAtoi(digits, &number) && number <= turn) {
      continue;
    }
    Step();
    log->Append({.key = command.key, .payload = command.payload});
    ++turn;
  }
  RETURN_IF_ERROR(log->Flush());
  return log->Sync();
}

absl::Status Runner::Input(absl::string_view prompt,
                           const std::vector<std::string>& images,
                           absl::string_view by) {
  RETURN_IF_ERROR(LoadOptions());
  RETURN_IF_ERROR(CheckDriver());
  const TaskState& now = state();
  if (now.status == TaskStatus::kCancelled) {
    return absl::FailedPreconditionError(
        absl::StrCat("task ", folder_.id, " was cancelled: start a new one"));
  }
  const bool busy = now.turn_open || now.turns_waiting > 0 || ready_.ok() ||
                    queue_.HasTurns() || !turns_.empty();
  if (busy && !backend_->capabilities().steer) {
    return absl::FailedPreconditionError(
        absl::StrCat(backend_->display_name(),
                     " takes no input while a turn runs: wait for "
                     "its end, or interrupt it first"));
  }
  RETURN_IF_ERROR(CheckPrompt(prompt));
  ASSIGN_OR_RETURN(std::vector<TurnAsked::Image> read,
                   ReadImages(images, *backend_));
  const int turn = now.turns + 1;
  return AppendNote(notes::Turn{.turn = turn,
                                .prompt = std::string(prompt),
                                .images = std::move(read),
                                .by = std::string(by)},
                    absl::StrCat(kTurnKey, turn));
}

absl::Status Runner::Interrupt(absl::string_view by, absl::string_view reason) {
  RETURN_IF_ERROR(LoadOptions());
  RETURN_IF_ERROR(CheckDriver());
  if (!state().process_alive && !ready_.ok()) {
    if (state().turns_waiting == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("task ", folder_.id, " is not running"));
    }
    return AppendNote(
        notes::Cancelled{.by = std::string(by), .reason = std::string(reason)},
        NextKey("cancel"));
  }
  const notes::Interrupt note = {.by = std::string(by),
                                 .reason = std::string(reason)};
  if (backend_->capabilities().interrupt && !state().input_closed) {
    interrupt_until_ = tools_.clock->NowMicros() + kInterruptPatience;
    return AppendNote(note, NextKey("interrupt"));
  }
  Send({.type = relay::FrameType::kStop,
        .key = NextKey("interrupt"),
        .payload = notes::ToJson(note),
        .grace_ms = tools_.grace_ms});
  return absl::OkStatus();
}

absl::Status Runner::Stop(absl::string_view by, absl::string_view reason) {
  RETURN_IF_ERROR(CheckDriver());
  if (!state().process_alive && !ready_.ok()) return Interrupt(by, reason);
  Send({.type = relay::FrameType::kStop,
        .key = NextKey("stop"),
        .payload = notes::ToJson(
            notes::Stop{.by = std::string(by), .reason = std::string(reason)}),
        .grace_ms = tools_.grace_ms});
  return absl::OkStatus();
}

absl::Status Runner::CloseInput() {
  RETURN_IF_ERROR(CheckDriver());
  if (!state().process_alive || state().input_closed) return absl::OkStatus();
  Send({.type = relay::FrameType::kCloseStdin,
        .key = absl::StrCat("close-", state().generation)});
  return absl::OkStatus();
}

std::string Runner::Answer() const {
  const auto& result = state().result;
  if (!result || !result->text.empty()) return result ? result->text : "";
  const std::string& path = options_.last_message_file;
  struct stat file = {};
  if (result->is_error || path.empty() || stat(path.c_str(), &file) != 0) {
    return "";
  }
  // What stood there before is another run's.
  if (state().turn_started &&
      absl::TimeFromTimespec(file.st_mtim) < *state().turn_started) {
    return "";
  }
  std::ifstream text(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(text)),
                     std::istreambuf_iterator<char>());
}

}  // namespace troika
