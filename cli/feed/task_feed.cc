#include "cli/feed/task_feed.h"

#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "dto/proto_json.h"

namespace troika::cli {
namespace {

using Show = TaskFeedOptions::Show;

// Whether the timeline shows all of the message, and not only a part.
bool IsShownWhole(const Message& message, TaskFeedOptions::Complete complete) {
  if (complete == TaskFeedOptions::Complete::kAll) return true;
  return std::holds_alternative<Text>(message.payload) ||
         std::holds_alternative<Result>(message.payload) ||
         std::holds_alternative<Approval>(message.payload) ||
         std::holds_alternative<Question>(message.payload) ||
         std::holds_alternative<Notice>(message.payload) ||
         std::holds_alternative<Lifecycle>(message.payload) ||
         std::holds_alternative<Receipt>(message.payload);
}

}  // namespace

TaskFeed::TaskFeed(client::ApiClient* api, const v1::Task& task,
                   TaskFeedOptions options, TaskFeedListener* listener)
    : api_(*api),
      options_(std::move(options)),
      listener_(*listener),
      task_(task),
      fold_(task,
            options_.show == Show::kAll ? TaskFold::From::kStart
                                        : TaskFold::From::kTask,
            options_.turn_started),
      last_id_(options_.show == Show::kAll ? "" : task.last_event_id()) {
  Reconnect();
}

void TaskFeed::Reconnect() {
  stream_ = std::make_unique<client::EventStream>(
      api_.address(), client::TaskPath(task_.id(), "/events"),
      client::EventStreamOptions{.clock = options_.clock,
                                 .start = api_.options().start,
                                 .after = last_id_});
}

std::vector<pollfd> TaskFeed::PollFds() const {
  // Nothing more is read while an event is awaited.
  return reading_ ? std::vector<pollfd>() : stream_->PollFds();
}

absl::Time TaskFeed::wake_at() const {
  return reading_ ? absl::InfiniteFuture() : stream_->wake_at();
}

absl::Status TaskFeed::Advance() {
  if (reading_) return absl::OkStatus();
  const absl::Status advanced = stream_->Advance(
      [&](client::SseEvent&& event) { waiting_.push_back(std::move(event)); });
  TakeWaiting();
  return advanced;
}

void TaskFeed::TakeWaiting() {
  while (!reading_ && !waiting_.empty()) {
    const client::SseEvent event = std::move(waiting_.front());
    waiting_.pop_front();
    OnStreamed(event);
  }
}

void TaskFeed::OnStreamed(const client::SseEvent& event) {
  if (event.name == "message") {
    OnMessage(event);
  } else if (event.name == "task") {
    OnTask(event.data);
  } else if (event.name == "reset") {
    // All events come again.
    fold_.Restart();
    ready_ = false;
  } else if (event.name == "ready") {
    ready_ = true;
    listener_.OnReady();
  }
}

void TaskFeed::OnMessage(const client::SseEvent& event) {
  absl::StatusOr<Message> message = fold_.Take(event.data);
  if (!message.ok()) {
    return listener_.OnProblem(
        absl::StrCat("an event can't be read: ", message.status().message()));
  }
  if (last_ && message->id <= *last_) return;
  last_ = message->id;
  last_id_ = event.id;
  const bool whole = !fold_.was_cut();
  if (whole || options_.complete == TaskFeedOptions::Complete::kNone ||
      !IsShownWhole(*message, options_.complete)) {
    return listener_.OnEvent(
        {.message = *message, .whole = whole, .json = event.data});
  }
  if (!options_.read_event) {
    return OnWhole(event, *std::move(message),
                   api_.GetEvent(task_.id(), event.id));
  }
  reading_ = true;
  options_.read_event(event.id, [this, event, cut = *std::move(message)](
                                    absl::StatusOr<Message> read) {
    reading_ = false;
    OnWhole(event, cut, std::move(read));
    TakeWaiting();
  });
}

void TaskFeed::OnWhole(const client::SseEvent& event, Message cut,
                       absl::StatusOr<Message> whole) {
  if (!whole.ok()) {
    listener_.OnProblem(absl::StrCat(
        "event ", event.id, " is incomplete, because the rest can't be read: ",
        whole.status().message()));
  }
  listener_.OnEvent({.message = whole.ok() ? *whole : cut,
                     .whole = whole.ok(),
                     .json = event.data});
}

void TaskFeed::OnTask(const std::string& json) {
  v1::Task task;
  if (!FromJson(json, &task, UnknownFields::kIgnore).ok()) return;
  task_ = std::move(task);
  listener_.OnTask(task_);
}

}  // namespace troika::cli
