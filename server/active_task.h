// A task that the server has open: its runner, driven by the loop, its events,
// and the commands that are under way.
//
// Live and ended tasks are opened alike: what the log says is read in small
// steps, and events that are missing in the cache are added. The owner of a
// task that then has nothing left to do is told that it can close it.
#ifndef TROIKA_SERVER_ACTIVE_TASK_H_
#define TROIKA_SERVER_ACTIVE_TASK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/event_loop.h"
#include "dto/redact.h"
#include "dto/troika.pb.h"
#include "server/event_writer.h"
#include "server/row.h"
#include "server/task_stream.h"
#include "server/task_tools.h"
#include "store/task_store.h"
#include "task/home.h"
#include "task/runner.h"

namespace troika {

// Loop thread only.
class ActiveTask {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // A turn waits for a process, which Start() lets it have.
    virtual void OnWantsStart(ActiveTask& task) = 0;
    // Something was read from the log.
    virtual void OnChanged(ActiveTask& task) = 0;
    // Nothing more comes by itself, or the log can't be read (failure()). The
    // owner may close it, but not within this call.
    virtual void OnRest(ActiveTask& task) = 0;
    // Events that could not be written were dropped, and others can be written
    // now. The owner may open the task again, to add them, but not within this
    // call.
    virtual void OnEventsDropped(ActiveTask& task) = 0;
  };

  // Reads nothing yet. `cli` is known if the task's turn may start at once.
  // Borrows `tools` and `owner`.
  static absl::StatusOr<std::unique_ptr<ActiveTask>> Open(
      TaskFolder folder, std::shared_ptr<TaskStream> stream,
      std::optional<Cli> cli, const TaskTools* tools, Owner* owner);

  // Begins to read; from then on the loop drives it.
  void Begin();
  // Starts a process for the waiting turn, or fails the turn.
  void Start(absl::StatusOr<Cli> cli);

  // Runs a command once the log has been read, and calls back when what it did
  // is in the log, or with the error of a command that was refused.
  using Command = absl::AnyInvocable<absl::Status(Runner&)>;
  using Done = absl::AnyInvocable<void(absl::Status)>;
  void Ask(Command command, Done done);

  const std::string& id() const { return runner_->folder().id; }
  const TaskFolder& folder() const { return runner_->folder(); }
  const TaskState& state() const { return runner_->state(); }
  const Runner& runner() const { return *runner_; }
  const std::shared_ptr<TaskStream>& stream() const { return stream_; }
  bool caught_up() const { return runner_->caught_up(); }
  // How far the log has been read.
  int64_t log_bytes() const { return runner_->log_bytes(); }
  // Why the log can't be read any further, or OK.
  const absl::Status& failure() const { return failure_; }
  // Whether no process is alive, no turn waits and no command is under way.
  bool at_rest() const;
  bool has_commands() const { return !commands_.empty(); }
  // Before it is closed: notes how far the log was read, for the next one.
  void Finish();
  // Null until the log's first record has been read.
  const notes::Request* /*nullable*/ request() const {
    return runner_->asked();
  }
  // The task as clients see it, without its secrets.
  v1::Task Describe() const;
  // The row of the task that Describe() has returned.
  TaskRow Row(const v1::Task& task) const;

 private:
  struct PendingCommand {
    Command command;  // Null if it was run, and its record is awaited.
    Done done;
    absl::Time deadline;
  };

  ActiveTask(std::shared_ptr<TaskStream> stream, const TaskTools* tools,
             Owner* owner)
      : tools_(*tools),
        owner_(*owner),
        stream_(std::move(stream)),
        events_(stream_->task_id(), &stream_->file(), EventWriter::Limits()) {}

  TaskReading Reading() const;
  void Advance();
  void AddEvent(const Message& message);
  // Knows the secrets of the task's environment, and those of its request once
  // that has been read.
  const Redactor& redactor() const;
  void RunCommands();
  void FinishCommands();
  // Watches the descriptors and deadlines that the runner waits for.
  void Wait();
  void Watch();

  const TaskTools& tools_;
  Owner& owner_;
  const std::shared_ptr<TaskStream> stream_;
  EventWriter events_;
  struct TaskRedactor {
    Redactor redactor;
    bool include_request = false;
  };
  mutable std::optional<TaskRedactor> redactor_;
  std::unique_ptr<Runner> runner_;
  struct WatchedFds {
    std::vector<pollfd> fds;
    int64_t connections = 0;  // Runner::connections() of the descriptors.
    std::vector<std::unique_ptr<EventLoop::Watch>> watches;
  };
  WatchedFds watched_;
  std::unique_ptr<EventLoop::Timer> timer_;
  std::vector<PendingCommand> commands_;
  std::optional<absl::StatusOr<Cli>> cli_;  // For the turn that waits.
  // Shared with jobs of the pool, which may end after the task is closed.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  absl::Status failure_;
  bool wants_start_told_ = false;
  bool events_dropped_ = false;  // Whether the stream's file lacks some.
  bool advancing_ = false;
};

}  // namespace troika

#endif  // TROIKA_SERVER_ACTIVE_TASK_H_
