// The latest change of each task, for viewers of the list.
//
// A change is encoded once, as the event that all viewers get. A later change
// of the same task replaces the earlier one, so that the history reaches back
// over as many tasks as its bound has room for, however often each of them
// changes. A viewer that has fallen behind the history has to list the tasks
// again.
#ifndef TROIKA_SERVER_CHANGES_H_
#define TROIKA_SERVER_CHANGES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "http/server.h"
#include "server/viewers.h"

namespace troika {

class Changes;

// A viewer's position in the changes.
class ChangesCursor {
 public:
  // Appends changes that are new to the viewer. `changes` is borrowed.
  http::BodySource::State Fill(size_t room, std::string* out);

 private:
  friend class Changes;

  ChangesCursor(const Changes* changes, std::optional<int64_t> next)
      : changes_(*changes), next_(next) {}
  std::string IdLine(int64_t number) const;

  const Changes& changes_;
  // Number of the next change to send. Nothing if the client's id is unknown.
  std::optional<int64_t> next_;
  bool ready_ = false;
};

// Loop thread only.
class Changes {
 public:
  // `start` distinguishes the ids of this server's changes from those of
  // another.
  explicit Changes(int64_t start) : start_(start) {}

  void Add(absl::string_view task_id, absl::string_view task_json) {
    Add(task_id, "task", task_json);
  }
  // The task was deleted.
  void AddGone(absl::string_view task_id);
  Viewers& viewers() { return *viewers_; }
  const std::shared_ptr<Viewers>& shared_viewers() { return viewers_; }

  // `last_event_id` may be empty, or anything. This object must outlive the
  // cursor.
  ChangesCursor NewCursor(absl::string_view last_event_id) const;
  // The stream of one viewer.
  std::unique_ptr<http::BodySource> NewView(absl::string_view last_event_id,
                                            http::Waker waker);

 private:
  friend class ChangesCursor;

  struct Change {
    std::string task_id;
    std::string frame;  // The event as viewers get it.
  };

  void Add(absl::string_view task_id, absl::string_view event,
           absl::string_view json);
  void Forget(std::map<int64_t, Change>::iterator change);

  const int64_t start_;
  int64_t next_ = 1;
  // All changes from this number on are in the history, or were replaced by a
  // later one that is.
  int64_t complete_from_ = 1;
  std::map<int64_t, Change> history_;                    // By number.
  std::map<std::string, int64_t, std::less<>> last_of_;  // By task.
  size_t bytes_ = 0;  // Total size of the history's frames.
  const std::shared_ptr<Viewers> viewers_ = std::make_shared<Viewers>();
};

}  // namespace troika

#endif  // TROIKA_SERVER_CHANGES_H_
