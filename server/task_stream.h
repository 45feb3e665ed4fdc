// What viewers of a task see: its events and the task itself, for as long as
// somebody writes or reads them.
#ifndef TROIKA_SERVER_TASK_STREAM_H_
#define TROIKA_SERVER_TASK_STREAM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "http/server.h"
#include "server/event_file.h"

namespace troika {

// Loop thread only.
class TaskStream {
 public:
  // A viewer's connection, told when there is something to read.
  class Viewer {
   public:
    virtual ~Viewer() = default;
    virtual void OnNews() = 0;
    // Nothing was sent for a while.
    virtual void OnBeat() = 0;
  };

  TaskStream(std::string task_id, std::unique_ptr<EventFile> file)
      : task_id_(std::move(task_id)), file_(std::move(file)) {}

  const std::string& task_id() const { return task_id_; }
  EventFile& file() { return *file_; }
  const EventFile& file() const { return *file_; }

  // Whether all events of the log as it was are there: history ends here.
  bool caught_up() const { return caught_up_; }
  void set_caught_up() { caught_up_ = true; }
  // The task's JSON, and how often it has changed.
  void SetTask(std::string json);
  const std::string& task_json() const { return task_json_; }
  int64_t task_version() const { return task_version_; }
  // The task was deleted.
  bool gone() const { return gone_; }
  void SetGone();

  // Tells all viewers.
  void Tell();
  void Beat();
  size_t viewers() const { return viewers_.size(); }

  // Both are called by viewers. `viewer` is borrowed.
  void Join(Viewer* viewer) { viewers_.push_back(viewer); }
  void Leave(Viewer* viewer);

 private:
  // They may come and go within.
  void ForEach(absl::FunctionRef<void(Viewer&)> tell);

  const std::string task_id_;
  const std::unique_ptr<EventFile> file_;
  std::vector<Viewer*> viewers_;  // Null: has left while others were told.
  int telling_ = 0;
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
  // The task was deleted: tells its viewers.
  void Remove(const std::string& id);
  // Those that have viewers.
  std::vector<std::shared_ptr<TaskStream>> Watched() const;
  size_t viewers() const;
  void Beat();

 private:
  std::map<std::string, std::weak_ptr<TaskStream>> streams_;
};

struct ViewFrom {
  EventId after = kBeforeAll;
  // The viewer was elsewhere, or knows of another parser: it is told to forget
  // what it has.
  enum class Reset { kNo, kYes };
  Reset reset = Reset::kNo;
};

// The stream of server-sent events for one viewer (docs/api.md, "Streams").
std::unique_ptr<http::BodySource> NewTaskView(
    std::shared_ptr<TaskStream> stream, const ViewFrom& from,
    http::Waker waker);

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_STREAM_H_
