#include "task/runner.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/launch_json.h"
#include "agent/registry.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr int64_t kTryAgain = 200000;
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
  const bool was_connected = follower_->connected();
  if (ready_.ok()) RETURN_IF_ERROR(OnRelayStarted());
  RETURN_IF_ERROR(follower_->Advance(sink));
  RETURN_IF_ERROR(LoadOptions());
  if (follower_->connected() && !was_connected) {
    // Another relay, or the same one again: it knows by the keys what it had.
    sent_.clear();
    refused_.clear();
  }
  if (follower_->connected()) {
    role_ = follower_->role();
    OnAnswers();
    SendPending();
    SendOutbox();
    Watch();
    return absl::OkStatus();
  }
  if (!state().process_alive && state().turns_waiting > 0 && !ready_.ok()) {
    RETURN_IF_ERROR(StartProcess());
  }
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
    if (at == 0 || other < at) at = other;
  };
  if (const auto alarm = watchdog_.Next(state())) sooner(alarm->at_micros);
  for (const auto& [key, again] : refused_) sooner(again);
  if (interrupt_until_ != 0) sooner(interrupt_until_);
  return at;
}

bool Runner::at_rest() const { return follower_->at_rest() && !ready_.ok(); }

void Runner::Send(Command command) { pending_.push_back(std::move(command)); }

void Runner::SendPending() {
  for (const Command& command : std::exchange(pending_, {})) {
    Step();
    follower_->Send({.type = command.type,
                     .key = command.key,
                     .payload = command.payload,
                     .grace_ms = command.grace_ms});
  }
}

void Runner::SendOutbox() {
  const int64_t now = tools_.clock->NowMicros();
  for (const Outgoing& outgoing : follower_->replay().outbox()) {
    const auto refused = refused_.find(outgoing.key);
    if (refused != refused_.end()) {
      // In order: what comes after it waits, too.
      if (refused->second > now) return;
      refused_.erase(refused);
    } else if (sent_.contains(outgoing.key)) {
      continue;
    }
    sent_.insert(outgoing.key);
    Step();
    follower_->Send({.type = outgoing.kind == Outgoing::Kind::kClose
                                 ? relay::FrameType::kCloseStdin
                                 : relay::FrameType::kWrite,
                     .key = outgoing.key,
                     .payload = outgoing.bytes});
  }
}

void Runner::OnAnswers() {
  for (const relay::Client::Answer& answer : follower_->TakeAnswers()) {
    // Its disk is full, or the agent reads slowly: both may pass.
    if (answer.code == relay::ReplyCode::kExhausted &&
        sent_.contains(answer.key)) {
      refused_[answer.key] = tools_.clock->NowMicros() + kTryAgain;
    }
  }
}

void Runner::Watch() {
  const int64_t now = tools_.clock->NowMicros();
  if (state().session_mismatch && state().ending.kind == Ending::Kind::kNone &&
      !mismatch_told_) {
    mismatch_told_ = true;
    Stop("troika", "the agent is in another session than it was asked for")
        .IgnoreError();
  }
  if (!state().turn_open) interrupt_until_ = 0;
  if (interrupt_until_ != 0 && now >= interrupt_until_) {
    interrupt_until_ = 0;
    Stop("troika", "the agent did not end its turn").IgnoreError();
  }
  const auto alarm = watchdog_.Next(state());
  if (alarm && now >= alarm->at_micros) {
    const absl::string_view name = DeadlineName(alarm->kind);
    const std::string key = absl::StrCat("alarm-", state().generation, "-",
                                         name.empty() ? "close" : name);
    if (sent_.insert(key).second) {
      if (alarm->kind == Alarm::Kind::kCloseIdle) {
        Send({.type = relay::FrameType::kCloseStdin, .key = key});
      } else {
        Send({.type = relay::FrameType::kStop,
              .key = key,
              .payload = notes::ToJson(notes::Deadline{
                  .which = std::string(name), .after_ms = alarm->after_ms}),
              .grace_ms = tools_.grace_ms});
      }
    }
  }
  SendPending();
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
  if (follower_->connected() || ready_.ok()) {
    Send({.key = std::move(key), .payload = notes::ToJson(note)});
    if (follower_->connected()) SendPending();
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(relay::LogWriter log, TakeLog(folder_, tools_.clock));
  Step();
  log.Append({.key = key, .payload = notes::ToJson(note)});
  RETURN_IF_ERROR(log.Flush());
  return log.Sync();
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
  const bool busy = now.turn_open || now.turns_waiting > 0 || ready_.ok();
  if (busy && !backend_->capabilities().steer) {
    return absl::FailedPreconditionError(
        absl::StrCat(backend_->display_name(),
                     " takes no input while a turn runs: wait for "
                     "its end, or interrupt it first"));
  }
  if (absl::StripAsciiWhitespace(prompt).empty()) {
    return absl::InvalidArgumentError("the prompt is empty: say what to do");
  }
  ASSIGN_OR_RETURN(std::vector<TurnAsked::Image> read,
                   ReadImages(images, *backend_));
  const int turn = now.turns + 1;
  return AppendNote(notes::Turn{.turn = turn,
                                .prompt = std::string(prompt),
                                .images = std::move(read),
                                .by = std::string(by)},
                    absl::StrCat("turn-", turn));
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
  if (follower_->connected()) SendPending();
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
  if (follower_->connected()) SendPending();
  return absl::OkStatus();
}

absl::Status Runner::CloseInput() {
  RETURN_IF_ERROR(CheckDriver());
  if (!state().process_alive || state().input_closed) return absl::OkStatus();
  const std::string key = absl::StrCat("close-", state().generation);
  if (!sent_.insert(key).second) return absl::OkStatus();
  Send({.type = relay::FrameType::kCloseStdin, .key = key});
  if (follower_->connected()) SendPending();
  return absl::OkStatus();
}

std::string Runner::Answer() const {
  if (state().result && !state().result->text.empty()) {
    return state().result->text;
  }
  if (options_.last_message_file.empty()) return "";
  std::ifstream file(options_.last_message_file, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());
}

}  // namespace troika
