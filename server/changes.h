// The last changes of all tasks, for those who watch the list.
//
// A bounded ring of tasks as JSON, each with a number. Who has fallen behind it
// is told to list the tasks again.
#ifndef TROIKA_SERVER_CHANGES_H_
#define TROIKA_SERVER_CHANGES_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/server.h"

namespace troika {

// Loop thread only.
class Changes {
 public:
  // Ids of another `start` are of another server: all of it is unknown to us.
  explicit Changes(int64_t start) : start_(start) {}

  void Add(absl::string_view task_json) { Add("task", task_json); }
  // The task was deleted.
  void AddGone(absl::string_view task_id);
  // Nothing was sent for a while.
  void Beat();
  size_t viewers() const { return viewers_.size(); }

  // The stream of one viewer. `last_event_id` may be empty, or anything. The
  // ring must outlive it.
  std::unique_ptr<http::BodySource> NewView(absl::string_view last_event_id,
                                            http::Waker waker);

 private:
  friend class ChangesView;

  struct Change {
    int64_t number = 0;
    absl::string_view event;  // A constant.
    std::string json;
  };

  void Add(absl::string_view event, absl::string_view json);

  const int64_t start_;
  int64_t next_ = 1;
  std::deque<Change> ring_;
  size_t bytes_ = 0;
  std::vector<class ChangesView*> viewers_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_CHANGES_H_
