// A task that the server has open: its runner, driven by the loop, its events,
// and the commands that are under way.
//
// Live and ended tasks are opened alike: what the log says is read in small
// steps, and events that are missing in the cache are added. The owner of a
// task that then has nothing left to do is told that it can close it.
#ifndef TROIKA_SERVER_ACTIVE_TASK_H_
#define TROIKA_SERVER_ACTIVE_TASK_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/event_loop.h"
#include "dto/redact.h"
#include "dto/troika.pb.h"
#include "server/event_writer.h"
#include "server/task_rows.h"
#include "server/task_stream.h"
#include "server/task_tools.h"
#include "store/task_store.h"
#include "task/home.h"
#include "task/hook_events.h"
#include "task/make.h"
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

  // A task that was just made starts with the first Advance().
  using Source = std::variant<TaskFolder, MadeTask>;
  // Reads nothing yet. Borrows `tools` and `owner`.
  static absl::StatusOr<std::unique_ptr<ActiveTask>> Open(
      Source source, std::shared_ptr<TaskStream> stream, const TaskTools* tools,
      Owner* owner);

  // Reads and does what can be done now, then waits for more on the loop.
  void Advance();
  // Starts a process for the waiting turn, or fails the turn.
  void Start(absl::StatusOr<Cli> cli);

  // Runs a command once the log has been read, and calls back when what it did
  // is in the log, or with the error of a command that was refused.
  using Command = absl::AnyInvocable<absl::Status(Runner&)>;
  using Done = absl::AnyInvocable<void(absl::Status)>;
  void Ask(Command command, Done done);

  const std::string& id() const { return runner_->folder().id; }
  const TaskState& state() const { return runner_->state(); }
  const Runner& runner() const { return *runner_; }
  const std::shared_ptr<TaskStream>& stream() const { return events_.stream; }
  bool caught_up() const { return runner_->caught_up(); }
  // Why the log can't be read any further, or OK.
  const absl::Status& failure() const { return failure_; }
  // Whether no process is alive, no turn waits and no command is under way.
  bool at_rest() const;
  bool has_commands() const { return !commands_.empty(); }
  // Before it is closed: notes how far the log was read, for the next one.
  void Finish();
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
  // Where the task's messages go.
  struct Events {
    explicit Events(std::shared_ptr<TaskStream> to)
        : stream(std::move(to)),
          writer(stream->task_id(), &stream->file(), EventWriter::Limits()) {}

    EventFile& file() const { return stream->file(); }

    const std::shared_ptr<TaskStream> stream;
    EventWriter writer;
    bool dropped = false;  // Whether the file lacks some.
  };
  struct TaskRedactor {
    Redactor redactor;
    bool include_request = false;
  };
  // The descriptors and the deadline that the runner waits for.
  struct Awaited {
    std::vector<pollfd> fds;
    int64_t connections = 0;  // Runner::connections() of the descriptors.
    std::vector<std::unique_ptr<EventLoop::Watch>> watches;
  };

  ActiveTask(std::shared_ptr<TaskStream> stream, const TaskTools* tools,
             Owner* owner);

  RunnerTools ToolsForRunner();
  TaskReading Reading() const;
  // Has the runner do what it can, and adds what came of it to the events.
  absl::Status AdvanceRunner();
  // Adds the messages that were read to the events.
  void AddEvents();
  void AddEvent(const Message& message);
  // Keeps what hooks are to be told, if they are not yet told of it.
  void FindHookEvent(const Message& message);
  // Tells hooks of what was found, in the order of the log. What is asked is
  // told when the rules have left it to a person, and not if it is answered by
  // then.
  void TellHooks();
  bool IsAskedStill(const HookEvent& event) const;
  bool IsBeingJudged(const HookEvent& event) const;
  // Knows the secrets of the task's environment, and those of its request once
  // that has been read.
  const Redactor& redactor() const;
  void RunCommands();
  void FinishCommands();
  // Has the task's document written on a thread, once, when it is due.
  void WriteDocument();
  void Wait();
  void WatchFds();

  const TaskTools& tools_;
  Owner& owner_;
  Events events_;
  mutable std::optional<TaskRedactor> redactor_;
  std::unique_ptr<Runner> runner_;
  std::vector<Message> messages_;  // Those that are not added to the events.
  HookEventFinder hook_finder_;
  std::deque<HookEvent> hook_events_;  // Those to tell hooks of.
  Awaited awaited_;
  const std::unique_ptr<EventLoop::Timer> timer_;
  std::vector<PendingCommand> commands_;
  // Shared with jobs of the pool, which may end after the task is closed.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  absl::Status failure_;
  bool wants_start_told_ = false;
  enum class Writing { kNotYet, kRunning, kDone };
  Writing document_ = Writing::kNotYet;
  bool advancing_ = false;
};

}  // namespace troika

#endif  // TROIKA_SERVER_ACTIVE_TASK_H_
