// Follows the task that is selected.
#ifndef TROIKA_CLI_DASHBOARD_TASK_WATCH_H_
#define TROIKA_CLI_DASHBOARD_TASK_WATCH_H_

#include <poll.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "base/clock.h"
#include "cli/approvals/asked.h"
#include "cli/attach/requests.h"
#include "cli/dashboard/model.h"
#include "cli/dashboard/scrolled_rows.h"
#include "cli/feed/task_feed.h"
#include "cli/timeline/timeline.h"
#include "client/api.h"

namespace troika::cli {

// Reads the last events of the task and then those that come, into rows. A task
// with many events is not read from its start. Requests never block.
class TaskWatch : public TaskFeedListener {
 public:
  // All pointers are borrowed; `api` sends nothing, its server is followed.
  struct Options {
    Requests* requests = nullptr;
    client::ApiClient* api = nullptr;
    Clock* clock = nullptr;
    Transcript* rows = nullptr;
    Timeline::Color color = Timeline::Color::kNever;
  };

  explicit TaskWatch(const Options& options) : options_(options) {}

  // The task to follow, and the size of the pane for its rows. An empty id
  // stands for none. Cheap if nothing has changed.
  void Follow(const std::string& id, const ScreenSize& pane);
  // Reads what has come.
  void Advance();
  WatchedTask watched() const;

  std::vector<pollfd> PollFds() const;
  absl::Time wake_at() const;
  // The watched task works, so that its status line changes every second.
  bool is_at_work() const;

  // Calls `present` with the approval or question of the watched task, whole.
  // The state has a pending approval or question of this id.
  using Present = std::function<void(const std::string& id, Asked asked)>;
  void LoadAsked(const std::string& id, Present present);

 private:
  struct Loaded {
    v1::Task task;
    std::vector<Message> events;
  };

  void Load();
  void OnLoaded(const std::string& id, const ScreenSize& pane,
                absl::StatusOr<Loaded> loaded);
  // Returns when the last turn began, if that is known.
  std::optional<absl::Time> ShowPast(const Loaded& loaded);
  std::string WaitingText(const TaskState& state) const;

  void OnEvent(const FedEvent& event) override;
  void OnTask(const v1::Task& task) override;
  void OnProblem(absl::string_view text) override;

  const Options options_;
  std::string wanted_;
  ScreenSize wanted_size_;
  bool loading_ = false;
  absl::Time retry_at_ = absl::InfiniteFuture();

  // What follows belongs to this task.
  std::string id_;
  ScreenSize size_;
  std::string problem_;
  std::optional<Timeline> timeline_;
  std::unique_ptr<AskedPayloads> payloads_;
  std::unique_ptr<TaskFeed> feed_;
  int feed_number_ = 0;     // Feeds so far.
  int queue_position_ = 0;  // 0 if it is not queued.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_TASK_WATCH_H_
