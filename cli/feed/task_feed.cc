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
bool IsShownWhole(const Message& message) {
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
                   const TaskFeedOptions& options, TaskFeedListener* listener)
    : api_(*api),
      options_(options),
      listener_(*listener),
      task_(task),
      fold_(task, options.show == Show::kAll ? TaskFold::From::kStart
                                             : TaskFold::From::kTask),
      last_id_(options.show == Show::kAll ? "" : task.last_event_id()) {
  Reconnect();
}

void TaskFeed::Reconnect() {
  stream_ = std::make_unique<client::EventStream>(
      api_.address(), client::TaskPath(task_.id(), "/events"),
      client::EventStreamOptions{.clock = options_.clock,
                                 .start = api_.options().start,
                                 .after = last_id_});
}

absl::Status TaskFeed::Advance() {
  return stream_->Advance([&](client::SseEvent&& event) { OnStreamed(event); });
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
  bool whole = !fold_.was_cut();
  if (!whole && options_.complete == TaskFeedOptions::Complete::kShown &&
      IsShownWhole(*message)) {
    whole = Complete(event.id, &*message);
  }
  listener_.OnEvent({.message = *message, .whole = whole, .json = event.data});
}

bool TaskFeed::Complete(const std::string& event, Message* message) {
  absl::StatusOr<Message> whole = api_.GetEvent(task_.id(), event);
  if (whole.ok()) {
    *message = *std::move(whole);
    return true;
  }
  listener_.OnProblem(absl::StrCat(
      "event ", event, " is incomplete, because the rest can't be read: ",
      whole.status().message()));
  return false;
}

void TaskFeed::OnTask(const std::string& json) {
  v1::Task task;
  if (!FromJson(json, &task, UnknownFields::kIgnore).ok()) return;
  task_ = std::move(task);
  listener_.OnTask(task_);
}

}  // namespace troika::cli
