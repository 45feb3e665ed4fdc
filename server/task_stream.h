// The events of a task, and the task itself, as viewers receive them. A stream
// exists while somebody writes or reads it.
#ifndef TROIKA_SERVER_TASK_STREAM_H_
#define TROIKA_SERVER_TASK_STREAM_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "http/server.h"
#include "server/event_file.h"
#include "server/viewers.h"

namespace troika {

// Loop thread only.
class TaskStream {
 public:
  TaskStream(std::string task_id, std::unique_ptr<EventFile> file)
      : task_id_(std::move(task_id)), file_(std::move(file)) {}

  const std::string& task_id() const { return task_id_; }
  EventFile& file() { return *file_; }
  const EventFile& file() const { return *file_; }

  // Whether the file has all events that the log had when the task was opened:
  // history ends here.
  bool caught_up() const { return caught_up_; }
  void set_caught_up() { caught_up_ = true; }
  // Calls `then` when that is so, now or with a later Notify().
  void WhenCaughtUp(absl::AnyInvocable<void(TaskStream&)> then);
  // The task's JSON, and how often it has changed.
  void SetTask(std::string json);
  const std::string& task_json() const { return task_json_; }
  int64_t task_version() const { return task_version_; }
  // The task was deleted.
  bool gone() const { return gone_; }
  void SetGone();

  // Tells all viewers and listeners that there is something to read.
  void Notify();
  // Has `listener` called with each Notify(), for as long as the returned
  // object exists.
  using Listener = std::function<void()>;
  std::shared_ptr<void> Listen(Listener listener);
  Viewers& viewers() { return *viewers_; }
  const std::shared_ptr<Viewers>& shared_viewers() { return viewers_; }

 private:
  const std::string task_id_;
  const std::unique_ptr<EventFile> file_;
  const std::shared_ptr<Viewers> viewers_ = std::make_shared<Viewers>();
  std::vector<std::weak_ptr<Listener>> listeners_;
  std::vector<absl::AnyInvocable<void(TaskStream&)>> when_caught_up_;
  std::string task_json_;
  int64_t task_version_ = 0;
  bool caught_up_ = false;
  bool gone_ = false;
};

// The streams that somebody writes or reads. Loop thread only.
class TaskStreams {
 public:
  // The stream of a task, whose folder is `folder_fd`.
  absl::StatusOr<std::shared_ptr<TaskStream>> Open(const std::string& id,
                                                   int folder_fd);
  // The stream of a new task.
  absl::StatusOr<std::shared_ptr<TaskStream>> Add(
      const std::string& id, absl::StatusOr<std::unique_ptr<EventFile>> file);
  // The task was deleted: tells its viewers.
  void Remove(const std::string& id);
  // Those that have viewers.
  std::vector<std::shared_ptr<TaskStream>> Watched() const;
  size_t viewers() const;
  void SendHeartbeats();

 private:
  std::map<std::string, std::weak_ptr<TaskStream>> streams_;
};

// Where a viewer begins.
struct ViewFrom {
  EventId after = kBeforeAll;
  // Whether the viewer is told to forget what it has, because its ids are those
  // of another parser version.
  enum class Reset { kNo, kYes };
  Reset reset = Reset::kNo;
};

// The stream of server-sent events for one viewer (docs/api.md, "Streams").
std::unique_ptr<http::BodySource> NewTaskView(
    std::shared_ptr<TaskStream> stream, const ViewFrom& from,
    http::Waker waker);

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_STREAM_H_
