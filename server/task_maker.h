// Makes tasks, each idempotency key once.
#ifndef TROIKA_SERVER_TASK_MAKER_H_
#define TROIKA_SERVER_TASK_MAKER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/discovery/environment.h"
#include "server/open_tasks.h"
#include "server/task_tools.h"
#include "store/task_store.h"
#include "task/import.h"
#include "task/request.h"

namespace troika {

// Loop thread only.
class TaskMaker {
 public:
  // Both are borrowed.
  struct Options {
    int max_queued = 10000;
    // For requests that have none.
    std::optional<absl::Duration> approval_timeout;
    notes::Budget budget;  // For limits that requests leave out.
  };
  TaskMaker(const TaskTools* tools, const TaskParts* parts,
            const Options& options)
      : tools_(*tools), parts_(*parts), options_(options) {}

  // Makes a task and queues it, unless the request's key has one already. Calls
  // back with the task's id.
  using IdCallback = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;
  void Make(TaskRequest request, Environment environment, IdCallback done);
  // Makes an ended task of a session's file. Calls back with the task's id.
  void Import(ImportRequest request, Environment environment, IdCallback done);
  // ResourceExhausted if no more tasks may wait.
  absl::Status CheckQueue() const;
  bool idle() const { return making_.empty() && importing_ == 0; }

 private:
  struct Making {
    std::vector<IdCallback> waiting;  // Those who are to be answered.
    TaskRow known;
    bool begun = false;
    std::optional<absl::Status> synced;
  };

  int waiting() const;
  void FindKey(const std::string& key, TaskRequest request,
               Environment environment);
  void MakeNew(const std::string& key, TaskRequest request,
               Environment environment);
  void MakeWithCli(const std::string& key, TaskRequest request,
                   Environment environment, absl::StatusOr<Cli> cli);
  // Keeps a place among the running tasks first, if the task must not wait.
  void MakeNowOrNever(const std::string& key, TaskRequest request,
                      Environment environment);
  void FindCliAndMake(const std::string& key, TaskRequest request,
                      Environment environment);
  // Makes the task survive a loss of power, on a thread of its own. For any
  // thread.
  void Sync(const std::string& key, const TaskFolder& folder);
  void OnSynced(const std::string& key, absl::Status synced);
  // Queues the task, or starts it.
  void Begin(const std::string& key, const std::string& place, NewTask task);
  // Answers a task that was begun and synced, which comes in either order.
  void AnswerIfReady(const std::string& key);
  // Writes the row of a task that waits, and answers.
  void PutRowAndAnswer(const std::string& key, const TaskRow& known, int tries);
  void Finish(const std::string& key, const absl::StatusOr<std::string>& id);

  const TaskTools& tools_;
  const TaskParts& parts_;
  const Options options_;
  // The tasks that are being made, by their keys. The key of a request without
  // one begins with a newline, as no client's does.
  std::map<std::string, Making, std::less<>> making_;
  int importing_ = 0;    // Imports that have not ended.
  int64_t keyless_ = 0;  // Requests without a key so far.
};

}  // namespace troika

#endif  // TROIKA_SERVER_TASK_MAKER_H_
