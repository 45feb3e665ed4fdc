// Streams a task's events from the server, each of them once and whole, and
// computes the task's state from them.
//
//   TaskFeed feed(&api, task, {.clock = &clock}, &listener);
//   while (!feed.ended()) {
//     RETURN_IF_ERROR(feed.Advance());
//     Wait(feed.PollFds(), feed.wake_at());
//   }
#ifndef TROIKA_CLI_FEED_TASK_FEED_H_
#define TROIKA_CLI_FEED_TASK_FEED_H_

#include <poll.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "base/clock.h"
#include "cli/feed/task_fold.h"
#include "client/api.h"
#include "client/event_stream.h"
#include "dto/troika.pb.h"
#include "task/state.h"

namespace troika::cli {

// An event as the server sent it.
struct FedEvent {
  const Message& message;
  // False if a text of the message is cut.
  bool whole = true;
  absl::string_view json;
};

class TaskFeedListener {
 public:
  virtual ~TaskFeedListener() = default;

  // The feed has the state after the event.
  virtual void OnEvent(const FedEvent& event) = 0;
  // The server describes the task anew.
  virtual void OnTask(const v1::Task& task) = 0;
  // All events so far have come, at the start or after a broken connection.
  virtual void OnReady() {}
  // An event can't be read, or not all of it. `text` is not sanitized.
  virtual void OnProblem(absl::string_view text) = 0;
};

struct TaskFeedOptions {
  enum class Show {
    kAll,
    kNew,  // Only events after the last one of the given task.
  };
  enum class Complete {
    kShown,  // Messages that people read whole are read again if they are cut.
    kAll,    // So are outputs of tools.
    kNone,
  };
  Clock* clock = nullptr;  // Borrowed.
  Show show = Show::kAll;
  Complete complete = Complete::kShown;
  // For kNew: when the turn that may run has begun, if that is known.
  std::optional<absl::Time> turn_started = std::nullopt;
  // Reads an event by its id, and calls `done`, at once or later; later events
  // wait for it. If null, ApiClient::GetEvent does it, which blocks.
  using Done = std::function<void(absl::StatusOr<Message>)>;
  std::function<void(const std::string& event, Done done)> read_event = {};
};

// Passive, as EventStream is. Not thread-safe.
class TaskFeed {
 public:
  // `api`, whose server is followed, and `listener` are borrowed.
  TaskFeed(client::ApiClient* api, const v1::Task& task,
           TaskFeedOptions options, TaskFeedListener* listener);

  // As EventStream::Advance.
  absl::Status Advance();
  // Continues after an error of Advance(), with the first event that has not
  // come.
  void Reconnect();

  std::vector<pollfd> PollFds() const;
  absl::Time wake_at() const;
  bool interrupted() const { return stream_->interrupted(); }
  // Whether the task was deleted.
  bool ended() const { return stream_->ended(); }

  // Whether all past events have come.
  bool ready() const { return ready_; }
  const TaskState& state() const { return fold_.state(); }
  // The server's last description.
  const v1::Task& task() const { return task_; }
  // Whether every event that the description counts has come.
  bool has_all() const { return task_.last_event_id() == last_id_; }

 private:
  void OnStreamed(const client::SseEvent& event);
  void OnMessage(const client::SseEvent& event);
  void OnTask(const std::string& json);
  // Takes the events that have come, up to one that has to be read again.
  void TakeWaiting();
  // Passes on a message: the one with nothing cut, or else the one that came,
  // and says so.
  void OnWhole(const client::SseEvent& event, Message cut,
               absl::StatusOr<Message> whole);

  client::ApiClient& api_;
  const TaskFeedOptions options_;
  TaskFeedListener& listener_;
  v1::Task task_;
  TaskFold fold_;
  std::unique_ptr<client::EventStream> stream_;
  std::string last_id_;          // Id of the last event, or empty.
  std::optional<EventId> last_;  // The same; unset if none has come yet.
  bool ready_ = false;
  std::deque<client::SseEvent> waiting_;  // Events that were not taken yet.
  bool reading_ = false;                  // An event is being read again.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_FEED_TASK_FEED_H_
